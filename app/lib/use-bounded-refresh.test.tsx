import { useLoaderData } from '@remix-run/react';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { useBoundedRefresh } from './use-bounded-refresh.ts';

function Page() {
  const { active, load } = useLoaderData<{ active: boolean; load: number }>();
  const stopped = useBoundedRefresh(active);
  return <p>{`load ${load}${stopped ? ', stopped' : ''}`}</p>;
}

/** A page whose first `activeFor` loads are of something under way. */
async function show({ activeFor }: { activeFor: number }) {
  const loader = vi.fn(async () => {
    const load = loader.mock.calls.length;
    return { active: load <= activeFor, load };
  });
  renderInApp(<Page />, { loader });
  await seconds(0);
  return loader;
}

const seconds = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 1_000));

let visibility: DocumentVisibilityState;
async function turn(state: DocumentVisibilityState) {
  visibility = state;
  await act(async () => {
    document.dispatchEvent(new Event('visibilitychange'));
    await vi.advanceTimersByTimeAsync(0);
  });
}

beforeEach(() => {
  vi.useFakeTimers();
  visibility = 'visible';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('asks every few seconds and stops at an end state', async () => {
  const loader = await show({ activeFor: 3 });
  await seconds(3);
  expect(loader).toHaveBeenCalledTimes(2);
  await seconds(6);
  expect(loader).toHaveBeenCalledTimes(4);
  await seconds(3_600);
  expect(loader).toHaveBeenCalledTimes(4);
  expect(screen.getByText('load 4')).toBeInTheDocument();
});

it('never asks for what has ended already', async () => {
  const loader = await show({ activeFor: 0 });
  await seconds(3_600);
  expect(loader).toHaveBeenCalledTimes(1);
});

it('asks more rarely after two minutes, gives up after 45, and says so', async () => {
  const loader = await show({ activeFor: Number.POSITIVE_INFINITY });
  await seconds(120);
  const quick = loader.mock.calls.length - 1;
  expect(quick).toBe(40);
  await seconds(600);
  expect(loader.mock.calls.length - 1 - quick).toBe(40);
  await seconds(3_600);
  expect(screen.getByText(/, stopped$/)).toBeInTheDocument();
  const atEnd = loader.mock.calls.length;
  await seconds(3_600);
  expect(loader).toHaveBeenCalledTimes(atEnd);
});

it('asks nothing while the page is hidden, and at once when it is shown again', async () => {
  const loader = await show({ activeFor: Number.POSITIVE_INFINITY });
  await turn('hidden');
  await seconds(7_200);
  expect(loader).toHaveBeenCalledTimes(1);
  await turn('visible');
  expect(loader).toHaveBeenCalledTimes(2);
  await seconds(3);
  expect(loader).toHaveBeenCalledTimes(3);
});
