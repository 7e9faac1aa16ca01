import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { describe, expect, it, vi } from 'vitest';
import { makeDelivery } from '#app/testing/admin-fixtures.ts';
import { makeChannel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { DeliveryPage } from '#server/generation/webhooks/schemas.ts';
import type { ChannelView } from '#server/providers/channels/schemas.ts';
import WebhookInbox, { loader } from './admin.webhooks.tsx';

type Shown = { page?: Partial<DeliveryPage>; channels?: ChannelView[]; query?: string };

function show({ page = {}, channels = [makeChannel()], query = '' }: Shown) {
  const list = vi.fn(async (_input: unknown) => ({ items: [], nextCursor: null, ...page }));
  const context = { trpc: { webhooks: { list }, channels: { list: async () => channels } } };
  const view = renderInApp(<WebhookInbox />, {
    url: `/admin/webhooks${query}`,
    loader: ({ request }) => loader({ request, context } as never),
  });
  return { list, ...view };
}

const inbox = () => screen.findByRole('list', { name: 'Deliveries' });

describe('the webhook inbox', () => {
  it('shows what came, how far it can be believed, how often, and the task it was about', async () => {
    show({
      page: {
        items: [
          makeDelivery({ deliveries: 3 }),
          makeDelivery({ id: 'b2', status: 'pending', verified: false, taskId: null, upstreamId: 'job-8' }),
          makeDelivery({
            id: 'b3',
            status: 'refused',
            verified: false,
            taskId: null,
            upstreamId: null,
            upstreamStatus: null,
            reason: 'The signature does not match.',
          }),
        ],
      },
    });
    const [matched, pending, refused] = within(await inbox()).getAllByRole('listitem');
    expect(matched).toHaveTextContent(/Matched.*Verified.*Job job-7: succeeded.*Came 3 times/);
    expect(within(matched as HTMLElement).getByRole('link', { name: 'Show the task' })).toHaveAttribute(
      'href',
      `/admin/tasks/${makeDelivery().taskId}`,
    );
    expect(pending).toHaveTextContent(/Waiting.*Only a hint.*Job job-8.*No task has this job yet/);
    expect(pending).not.toHaveTextContent(/Came/);
    expect(refused).toHaveTextContent(/Refused.*No job id.*Not believed: The signature does not match\./);
    expect(refused).not.toHaveTextContent(/Only a hint|Verified/);
  });

  it('opens headers and body as they came, long numbers digit for digit', async () => {
    show({ page: { items: [makeDelivery()] } });
    const details = within(await inbox()).getByRole('group');
    expect(details).not.toHaveAttribute('open');
    await userEvent.click(within(details).getByText('What it sent, with secrets taken out'));
    expect(details).toHaveAttribute('open');
    expect(within(details).getByRole('region', { name: 'Headers' })).toHaveTextContent(
      'content-type: application/json',
    );
    expect(within(details).getByRole('region', { name: 'Body' })).toHaveTextContent(
      '{"id":12345678901234567890}',
    );
  });

  it('takes filters and page from the address, keeps the filters when paging, and ignores nonsense', async () => {
    const channel = makeChannel();
    const cursor = makeDelivery().id;
    const query = `?state=refused&channel=${channel.id}&cursor=${cursor}`;
    const { list, unmount } = show({ page: { items: [makeDelivery()], nextCursor: cursor }, query });
    await inbox();
    expect(list.mock.lastCall?.[0]).toMatchObject({ status: 'refused', channelId: channel.id, cursor });
    expect(screen.getByLabelText('State')).toHaveValue('refused');
    expect(screen.getByLabelText('Channel')).toHaveValue(channel.id);
    const href = screen.getByRole('link', { name: 'Older' }).getAttribute('href');
    const older = new URL(href ?? '', 'http://site.invalid').searchParams;
    expect(Object.fromEntries(older)).toEqual({ state: 'refused', channel: channel.id, cursor });
    unmount();

    const second = show({ page: { items: [makeDelivery()] }, query: '?state=odd&channel=odd&cursor=odd' });
    await inbox();
    expect(second.list.mock.lastCall?.[0]).toEqual({ limit: 30 });
  });

  it('lets a reader choose again, from the first page', async () => {
    const cursor = makeDelivery().id;
    const { list } = show({ page: { items: [makeDelivery()] }, query: `?cursor=${cursor}` });
    await inbox();
    await userEvent.selectOptions(screen.getByLabelText('State'), 'Waiting');
    await userEvent.click(screen.getByRole('button', { name: 'Show' }));
    await vi.waitFor(() => expect(list.mock.lastCall?.[0]).toEqual({ status: 'pending', limit: 30 }));
  });

  it.each(['?state=refused', `?channel=${makeChannel().id}`, `?cursor=${makeDelivery().id}`])(
    'tells an empty answer to %s from an inbox where nothing has come',
    async (query) => {
      show({ query });
      expect(await screen.findByText('No delivery matches')).toBeInTheDocument();
      expect(screen.getByRole('link', { name: 'Show all of them' })).toHaveAttribute(
        'href',
        '/admin/webhooks',
      );
    },
  );

  it.each<[string, ChannelView[], RegExp]>([
    ['the public origin', [makeChannel({ webhookAddress: null })], /Set PUBLIC_ORIGIN/],
    [
      'the webhook address of the channel',
      [makeChannel()],
      /Both have their place on the channel’s page: Main\./,
    ],
    ['a vendor that reports', [makeChannel({ protocol: 'runway' })], /None of your channels has a vendor/],
  ])('names what is missing when nothing has come: %s', async (_what, channels, words) => {
    show({ channels });
    const title = await screen.findByText('No upstream has reported yet');
    expect(title.parentElement).toHaveTextContent(words);
    expect(title.parentElement).toHaveTextContent(/Without reports everything works/);
  });

  it('offers only channels that can report', async () => {
    const mute = makeChannel({ id: 'mute', name: 'Mute', protocol: 'runway' });
    show({ channels: [makeChannel(), mute] });
    const select = await screen.findByLabelText('Channel');
    expect(
      within(select)
        .getAllByRole('option')
        .map((option) => option.textContent),
    ).toEqual(['Any', 'Main']);
  });

  it('has no accessibility violation', async () => {
    const { container } = show({ page: { items: [makeDelivery({ deliveries: 2 })], nextCursor: 'next' } });
    await inbox();
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
