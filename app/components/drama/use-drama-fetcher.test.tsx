import { MantineProvider } from '@mantine/core';
import { data } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { createRemixStub } from '@remix-run/testing';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import type { DramaAnswer } from './drama-answer.ts';
import { useDramaFetcher } from './use-drama-fetcher.ts';

/** As the app's router does: loaders do not run after a refused action. */
const leaveAfterRefusal = (input: { actionStatus?: number; defaultShouldRevalidate: boolean }) =>
  (input.actionStatus ?? 200) < 400 && input.defaultShouldRevalidate;

const nothing = () => null;
const onConflict = vi.fn();
beforeEach(() => onConflict.mockReset());

function Page() {
  const { number } = useLoaderData<{ number: number }>();
  const { Form, error } = useDramaFetcher('form', onConflict);
  return (
    <Form method="post" action="/">
      <button type="submit">Send</button>
      <p>load {number}</p>
      <p role="alert">{error}</p>
    </Form>
  );
}

function setUp(answer: DramaAnswer, status: number) {
  let loads = 0;
  const Stub = createRemixStub([
    {
      path: '/',
      Component: Page,
      HydrateFallback: nothing,
      loader: () => ({ number: ++loads }),
      action: () => data(answer, status),
      shouldRevalidate: leaveAfterRefusal,
    },
  ]);
  render(
    <MantineProvider env="test">
      <Stub future={{ v3_fetcherPersist: true, v3_relativeSplatPath: true }} />
    </MantineProvider>,
  );
}

it('loads the page again after a refusal, whose reason may be that it was out of date', async () => {
  setUp({ error: 'The price has changed.' }, 422);
  await userEvent.click(await screen.findByRole('button'));
  await waitFor(() => expect(screen.getByRole('alert')).toHaveTextContent('The price has changed.'));
  expect(await screen.findByText('load 2')).toBeVisible();
  expect(onConflict).not.toHaveBeenCalled();
});

it('tells of a request key that belongs to another request', async () => {
  setUp({ error: 'This key was used.', conflict: true }, 409);
  await userEvent.click(await screen.findByRole('button'));
  await waitFor(() => expect(onConflict).toHaveBeenCalledTimes(1));
});
