import { screen, within } from '@testing-library/react';
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { makeRefund, makeUncertain } from '#app/testing/admin-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AttentionView } from '#server/generation/schemas.ts';
import Attention, { loader } from './admin.attention.tsx';

function show(view: Partial<AttentionView>) {
  const attention = async () => ({ uncertain: [], refunds: [], hasMore: false, ...view });
  const context = { trpc: { adminTasks: { attention } } };
  return renderInApp(<Attention />, {
    url: '/admin/attention',
    loader: ({ request }) => loader({ request, context } as never),
  });
}

const itemOf = (name: RegExp) => screen.findByRole('article', { name });

describe('what needs attention', () => {
  it('says so when nothing waits', async () => {
    show({});
    expect(await screen.findByText('Nothing waits for you')).toBeInTheDocument();
    expect(screen.queryByRole('article')).not.toBeInTheDocument();
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });

  it('tells the story of an uncertain task, with our reference and the way to its answer', async () => {
    show({ uncertain: [makeUncertain({ isLookedUp: true, mayReport: true })] });
    const item = await itemOf(/Paint One for ada@example.com/);
    expect(item).toHaveTextContent(/got no clear answer.*may or may not have started the job/);
    expect(item).toHaveTextContent(/keep asking the provider for a job with our reference/);
    expect(item).toHaveTextContent(/its webhook would end the doubt/);
    expect(item).toHaveTextContent(/it fails, and the user gets 8 credits back/);
    expect(item.querySelector('time[datetime="2026-01-06T10:00:00.000Z"]')).toHaveTextContent(/\(.+\)/);
    expect(within(item).getByRole('textbox', { name: 'Our reference' })).toHaveValue(
      makeUncertain().clientRef,
    );
    expect(item).toHaveTextContent('Not known.');
    expect(within(item).getByRole('link', { name: 'Resolve it' })).toHaveAttribute(
      'href',
      `/admin/tasks/${makeUncertain().taskId}#resolve`,
    );
  });

  it('says that nothing more is done where nothing can be', async () => {
    show({ uncertain: [makeUncertain()] });
    const item = await itemOf(/Paint One/);
    expect(item).toHaveTextContent(/Nothing: this provider cannot be asked.*Only you can find out/);
    expect(item).not.toHaveTextContent(/We keep asking/);
  });

  it.each([
    ['overdue', /given no result within the time allowed/],
    ['missing', /says now that it does not know it/],
  ] as const)('tells %s from a lost answer, and shows the id that is asked for', async (reason, words) => {
    show({ uncertain: [makeUncertain({ reason, upstreamId: 'job-7', until: null })] });
    const item = await itemOf(/Paint One/);
    expect(item).toHaveTextContent(words);
    expect(item).toHaveTextContent(/keep asking the provider for the job by its id/);
    expect(item).toHaveTextContent(/It waits for evidence, with 8 credits held/);
    expect(within(item).getByRole('textbox', { name: 'The provider’s job id' })).toHaveValue('job-7');
  });

  it('lists refunds that could not be booked, with the reason', async () => {
    show({ refunds: [makeRefund(), makeRefund({ taskId: 'another', lastError: null })], hasMore: true });
    const table = await screen.findByRole('table', { name: 'Refunds that need a hand' });
    expect(within(table).getAllByRole('link', { name: 'ada@example.com' })[0]).toHaveAttribute(
      'href',
      `/admin/tasks/${makeRefund().taskId}`,
    );
    expect(table).toHaveTextContent('The ledger refused the entry.');
    expect(table).toHaveTextContent('No reason was noted.');
    expect(screen.getByText(/more than fit on this page/)).toBeInTheDocument();
    expect(screen.queryByText('Nothing waits for you')).not.toBeInTheDocument();
  });

  it('has no accessibility violation', async () => {
    const { container } = show({
      uncertain: [makeUncertain(), makeUncertain({ taskId: 'another', upstreamId: 'job-7' })],
      refunds: [makeRefund()],
    });
    await screen.findByRole('table');
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});
