import { useLoaderData } from '@remix-run/react';
import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderInApp } from '#app/testing/render.tsx';
import { REFRESH_GAP_MS, useRefresh } from './use-refresh.ts';

function Asker({ name }: { name: string }) {
  const refresh = useRefresh();
  return (
    <button type="button" onClick={refresh}>
      {name}
    </button>
  );
}

function Page() {
  const { load } = useLoaderData<{ load: number }>();
  return (
    <>
      <p>{`load ${load}`}</p>
      <Asker name="one" />
      <Asker name="other" />
    </>
  );
}

/** A page whose loads take a second each, but for the first. */
async function show() {
  let underWay = 0;
  let most = 0;
  const loader = vi.fn(async () => {
    const load = loader.mock.calls.length;
    underWay += 1;
    most = Math.max(most, underWay);
    if (load > 1) await new Promise((resolve) => setTimeout(resolve, 1_000));
    underWay -= 1;
    return { load };
  });
  renderInApp(<Page />, { loader });
  await after(0);
  return { loader, most: () => most };
}

const after = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const press = (name: string) => act(() => screen.getByRole('button', { name }).click());

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  // The tab's own timer runs out, so that the next test finds none.
  await after(REFRESH_GAP_MS * 2);
  vi.useRealTimers();
});

it('loads once for all who ask at the same time', async () => {
  const { loader } = await show();
  press('one');
  press('other');
  await after(5_000);
  expect(loader).toHaveBeenCalledTimes(2);
});

it('waits for a load that is under way instead of breaking it off', async () => {
  const { loader, most } = await show();
  press('one');
  await after(500);
  press('other');
  await after(400);
  expect(loader).toHaveBeenCalledTimes(2);
  await after(200);
  await after(REFRESH_GAP_MS * 2);
  expect(loader).toHaveBeenCalledTimes(3);
  expect(most()).toBe(1);
});

it('asks the router, not the page, which may not have been drawn since the load began', async () => {
  const { loader, most } = await show();
  // Within one `act` nothing is drawn.
  await act(async () => {
    screen.getByRole('button', { name: 'one' }).click();
    await vi.advanceTimersByTimeAsync(REFRESH_GAP_MS * 2);
    screen.getByRole('button', { name: 'other' }).click();
    await vi.advanceTimersByTimeAsync(REFRESH_GAP_MS * 2);
  });
  await after(5_000);
  expect(loader).toHaveBeenCalledTimes(3);
  expect(most()).toBe(1);
});
