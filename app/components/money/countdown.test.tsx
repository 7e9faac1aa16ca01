import { act, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Countdown } from './countdown.tsx';

// The reader's clock is two hours fast; the server's counts.
const NOW = new Date('2026-01-05T10:00:00Z');
const in30 = new Date('2026-01-05T10:30:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-01-05T12:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 1_000));
const shown = () => screen.getByRole('timer').textContent;

it('counts down each second by the server’s clock and stands at zero', async () => {
  render(<Countdown until={in30} now={NOW} />);
  expect(shown()).toBe('30:00');
  await seconds(1);
  expect(shown()).toBe('29:59');
  await seconds(29 * 60);
  expect(shown()).toBe('0:59');
  await seconds(120);
  expect(shown()).toBe('0:00');
});

it('catches up after the tab slept, instead of counting ticks', async () => {
  render(<Countdown until={in30} now={NOW} />);
  vi.setSystemTime(new Date('2026-01-05T12:10:00Z'));
  await seconds(1);
  expect(shown()).toBe('19:59');
});

it('takes a newer load of the page over its own count', async () => {
  const { rerender } = render(<Countdown until={in30} now={NOW} />);
  await seconds(60);
  rerender(<Countdown until={in30} now={new Date('2026-01-05T10:05:00Z')} />);
  expect(shown()).toBe('25:00');
});

it('says without a script what was left when the page was made', () => {
  expect(renderToString(<Countdown until={in30} now={NOW} />)).toContain('30:00');
});
