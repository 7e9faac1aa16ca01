import { Link, useFetcher, useLoaderData, useLocation, useRevalidator } from '@remix-run/react';
import { createRemixStub } from '@remix-run/testing';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { useFetcherReply } from './use-fetcher-reply.ts';
import type { WayOn } from './way-on.ts';

type Reply = { error: string };

const onEnd = vi.fn();
/** What the action answers, as each test decides; and how often the page was loaded. */
let answer: (reply: Reply | WayOn) => void = () => {};
let loads = 0;
let stored = 0;

function Page() {
  const seen = useLoaderData<number>();
  const fetcher = useFetcher<Reply | WayOn>({ key: 'form' });
  const reply = useFetcherReply(fetcher, onEnd);
  const revalidator = useRevalidator();
  const { pathname, search } = useLocation();
  return (
    <fetcher.Form method="post" action="/list">
      <button type="submit">Send</button>
      <button type="button" onClick={() => revalidator.revalidate()}>
        Load
      </button>
      <Link to="/list?make=video">Another kind</Link>
      <p>at {`${pathname}${search}`}</p>
      <p>seen {seen}</p>
      <p>{fetcher.state}</p>
      {reply ? <p role="alert">{reply.error}</p> : null}
    </fetcher.Form>
  );
}

const Nothing = () => null;

beforeEach(async () => {
  onEnd.mockReset();
  loads = 0;
  stored = 0;
  const route = {
    Component: Page,
    HydrateFallback: Nothing,
    loader: () => {
      loads += 1;
      return stored;
    },
    action: () => new Promise<Reply | WayOn>((resolve) => (answer = resolve)),
    // As on the workbench: another kind needs nothing from the server.
    shouldRevalidate: (input: { nextUrl: URL; formMethod?: string; defaultShouldRevalidate: boolean }) =>
      input.formMethod === undefined && input.nextUrl.searchParams.has('make')
        ? false
        : input.defaultShouldRevalidate,
  };
  const Stub = createRemixStub([
    { path: '/list', ...route },
    { path: '/page', ...route },
  ]);
  render(
    <Stub initialEntries={['/list']} future={{ v3_fetcherPersist: true, v3_relativeSplatPath: true }} />,
  );
  await screen.findByText('seen 0');
});

async function send(): Promise<void> {
  await userEvent.click(screen.getByRole('button', { name: 'Send' }));
  await screen.findByText('submitting');
}

/** The server commits, and then its answer comes. */
async function accept(reply: Reply | WayOn): Promise<void> {
  stored = 1;
  await act(async () => answer(reply));
}

it('follows a success to its page', async () => {
  await send();
  await accept({ wayOn: '/list?made=1' });
  await screen.findByText('at /list?made=1');
  expect(screen.getByText('seen 1')).toBeInTheDocument();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(onEnd.mock.calls).toEqual([[undefined, false]]);
});

it('says that another page comes next', async () => {
  await send();
  await accept({ wayOn: '/page' });
  await screen.findByText('at /page');
  expect(onEnd.mock.calls).toEqual([[undefined, true]]);
});

it('shows what was accepted although the page was loaded in between, before it was stored', async () => {
  await send();
  await userEvent.click(screen.getByRole('button', { name: 'Load' }));
  await waitFor(() => expect(loads).toBe(2));
  await accept({ wayOn: '/list?made=1' });
  await screen.findByText('at /list?made=1');
  await screen.findByText('seen 1');
  expect(onEnd.mock.calls).toEqual([[undefined, false]]);
});

it('leaves a reader where they went meanwhile, with what was accepted', async () => {
  await send();
  await userEvent.click(screen.getByRole('link', { name: 'Another kind' }));
  await screen.findByText('at /list?make=video');
  await accept({ wayOn: '/list?made=1' });
  await screen.findByText('seen 1');
  await screen.findByText('idle');
  expect(screen.getByText('at /list?make=video')).toBeInTheDocument();
  expect(onEnd.mock.calls).toEqual([[undefined, false]]);
});

it('stays where it is when that is where a success leads', async () => {
  await send();
  await accept({ wayOn: '/list' });
  await screen.findByText('seen 1');
  await screen.findByText('idle');
  expect(loads).toBe(2);
  expect(onEnd.mock.calls).toEqual([[undefined, false]]);
});

it('keeps a failure until the next submit has ended well', async () => {
  await send();
  await accept({ error: 'No.' });
  expect(await screen.findByRole('alert')).toHaveTextContent('No.');
  expect(onEnd.mock.calls).toEqual([[{ error: 'No.' }, false]]);
  await send();
  await accept({ wayOn: '/list?made=1' });
  await screen.findByText('at /list?made=1');
  expect(screen.queryByRole('alert')).toBeNull();
});
