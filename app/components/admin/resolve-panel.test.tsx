import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { TRPCError } from '@trpc/server';
import axe from 'axe-core';
import type { ReactNode } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { runAdminTaskForm } from '#app/lib/admin-task-actions.ts';
import { makeDispatch } from '#app/testing/admin-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import { makeOutput, makeTask } from '#app/testing/task-fixtures.ts';
import { AppError } from '#server/lib/app-error.ts';
import { RecoverPanel } from './recover-panel.tsx';
import { ResolvePanel } from './resolve-panel.tsx';

const TASK_ID = makeTask().id;
const UNTIL = new Date('2026-01-06T10:00:00Z');
const REASON = 'Seen in their dashboard.';

/** Renders a part of the task's page with the page's own action on mocked procedures. */
function setUp(ui: ReactNode) {
  const resolve = vi.fn(async (_input: unknown) => ({ ok: true }));
  const recover = vi.fn(async (_input: unknown) => ({ ok: true }));
  const context = { trpc: { adminTasks: { resolve, recover } } };
  const view = renderInApp(ui, {
    action: async ({ request }) =>
      (await runAdminTaskForm({ request, context: context as never, form: await request.formData() })) ??
      null,
  });
  return { resolve, recover, ...view };
}

const setUpPanel = (more: Partial<Parameters<typeof ResolvePanel>[0]> = {}) =>
  setUp(<ResolvePanel taskId={TASK_ID} kind="image" until={UNTIL} dispatch={makeDispatch()} {...more} />);

const formOf = (name: string) => within(screen.getByRole('form', { name }));
const press = (form: ReturnType<typeof formOf>, name: string) =>
  userEvent.click(form.getByRole('button', { name }));

describe('an uncertain task', () => {
  it('shows the reference to look for', () => {
    setUpPanel();
    expect(screen.getByRole('textbox', { name: 'Our reference' })).toHaveValue(makeDispatch().id);
  });

  it('takes the id of the job, and neither an empty one nor one without a reason', async () => {
    const { resolve } = setUpPanel();
    const form = formOf('The upstream has the job');
    await press(form, 'Follow this job');
    expect(await form.findAllByText('Fill this in.')).toHaveLength(2);
    await userEvent.type(form.getByLabelText(/job id/), ' job-7 ');
    await userEvent.type(form.getByLabelText(/How do you know/), 'ok');
    await press(form, 'Follow this job');
    expect(await form.findByText('Say how you know.')).toBeInTheDocument();
    expect(resolve).not.toHaveBeenCalled();
    await userEvent.type(form.getByLabelText(/How do you know/), ', it is listed');
    await press(form, 'Follow this job');
    await waitFor(() =>
      expect(resolve).toHaveBeenCalledExactlyOnceWith({
        taskId: TASK_ID,
        verdict: 'upstream_id',
        upstreamId: 'job-7',
        reason: 'ok, it is listed',
      }),
    );
  });

  it('takes addresses of files, one per line, and says which line is none', async () => {
    const { resolve } = setUpPanel();
    const form = formOf('The result is here');
    const urls = form.getByLabelText(/Addresses of the files/);
    await press(form, 'Deliver these files');
    expect(await form.findByText('Enter the address of at least one file.')).toBeInTheDocument();
    expect(form.getByText('Fill this in.')).toBeInTheDocument();

    await userEvent.type(form.getByLabelText(/How do you know/), REASON);
    await userEvent.type(urls, 'https://files.example/1.png\n\nfiles.example/2.png');
    await press(form, 'Deliver these files');
    expect(await form.findByText(/^Line 3 is no complete address/)).toBeInTheDocument();
    expect(urls).toBeInvalid();

    await userEvent.clear(urls);
    await userEvent.type(urls, 'file:///etc/passwd');
    await press(form, 'Deliver these files');
    expect(await form.findByText(/^This is no complete address/)).toBeInTheDocument();
    expect(resolve).not.toHaveBeenCalled();

    await userEvent.clear(urls);
    await userEvent.type(urls, ' https://files.example/1.png \n\nhttp://files.example/2.png\n');
    await press(form, 'Deliver these files');
    await waitFor(() =>
      expect(resolve).toHaveBeenCalledExactlyOnceWith({
        taskId: TASK_ID,
        verdict: 'result',
        urls: ['https://files.example/1.png', 'http://files.example/2.png'],
        reason: REASON,
      }),
    );
  });

  it('takes a text where the model makes text', async () => {
    const { resolve } = setUpPanel({ kind: 'text' });
    const form = formOf('The result is here');
    expect(form.queryByLabelText(/Addresses/)).not.toBeInTheDocument();
    await userEvent.type(form.getByLabelText(/How do you know/), REASON);
    await press(form, 'Deliver this text');
    expect(await form.findByText('Paste the text.')).toBeInTheDocument();
    await userEvent.type(form.getByLabelText(/text that the model wrote/), 'Once upon a time');
    await press(form, 'Deliver this text');
    await waitFor(() =>
      expect(resolve).toHaveBeenCalledExactlyOnceWith({
        taskId: TASK_ID,
        verdict: 'result',
        text: 'Once upon a time',
        reason: REASON,
      }),
    );
  });

  it('fails only after a reason and a second press', async () => {
    const { resolve } = setUpPanel();
    const form = formOf('The upstream has no job');
    await press(form, 'Fail and refund');
    await press(form, 'Fail and refund it');
    expect(await form.findByText('Fill this in.')).toBeInTheDocument();
    await userEvent.type(form.getByRole('textbox'), REASON);
    await press(form, 'Fail and refund');
    expect(resolve).not.toHaveBeenCalled();
    await press(form, 'Fail and refund it');
    await waitFor(() =>
      expect(resolve).toHaveBeenCalledExactlyOnceWith({
        taskId: TASK_ID,
        verdict: 'failed',
        reason: REASON,
      }),
    );
  });

  it('does not ask for an id that is known', () => {
    setUpPanel({ dispatch: makeDispatch({ outcome: 'accepted', upstreamId: 'job-7' }) });
    expect(screen.queryByRole('form', { name: 'The upstream has the job' })).not.toBeInTheDocument();
    expect(screen.getByRole('textbox', { name: 'The provider’s job id' })).toHaveValue('job-7');
    expect(screen.getByRole('form', { name: 'The upstream has no job' })).toBeInTheDocument();
  });

  it('shows a refusal in the form that was sent, and in no other', async () => {
    const { resolve } = setUpPanel();
    const message = 'This task is being looked at right now. Try again in a moment.';
    resolve.mockRejectedValueOnce(
      new TRPCError({ code: 'CONFLICT', message, cause: new AppError('conflict', message) }),
    );
    const form = formOf('The upstream has the job');
    await userEvent.type(form.getByLabelText(/job id/), 'job-7');
    await userEvent.type(form.getByLabelText(/How do you know/), REASON);
    await press(form, 'Follow this job');
    expect(await form.findByRole('alert')).toHaveTextContent(message);
    expect(screen.getAllByRole('alert')).toHaveLength(1);
    expect(form.getByLabelText(/job id/)).toHaveValue('job-7');
  });

  it.each(['image', 'text'] as const)('has no accessibility violation (%s)', async (kind) => {
    const { container } = setUpPanel({ kind });
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((violation) => `${violation.id}: ${violation.help}`)).toEqual([]);
  });
});

describe('a failed task', () => {
  const failed = { ...makeTask({ status: 'failed' }), dispatches: [makeDispatch({ outcome: 'accepted' })] };

  it('is looked at again, with a reason', async () => {
    const { recover } = setUp(<RecoverPanel task={failed} />);
    const form = formOf('Look again for the result');
    await press(form, 'Look again');
    expect(await form.findByText('Fill this in.')).toBeInTheDocument();
    await userEvent.type(form.getByRole('textbox'), 'Their file server is back.');
    await press(form, 'Look again');
    await waitFor(() =>
      expect(recover).toHaveBeenCalledExactlyOnceWith({
        taskId: TASK_ID,
        reason: 'Their file server is back.',
      }),
    );
  });

  it.each([
    ['upstream_failed', /itself says that this failed/],
    ['storage', /may have made it although the task failed/],
  ])('says what to expect after %s', (code, words) => {
    setUp(<RecoverPanel task={{ ...failed, failure: { code, message: 'It failed.' } }} />);
    expect(screen.getByText(words)).toBeInTheDocument();
  });

  it('says when it is looked at already', () => {
    const dispatch = makeDispatch({ nextWatchAt: UNTIL, watchUntil: UNTIL });
    setUp(<RecoverPanel task={{ ...failed, dispatches: [dispatch] }} />);
    expect(screen.getByText(/It is looked for already, until/)).toBeInTheDocument();
  });

  it.each([
    ['has not failed', { ...failed, status: 'running' as const }],
    ['has a result', { ...failed, outputs: [makeOutput()] }],
    ['was refused', { ...failed, dispatches: [makeDispatch({ outcome: 'rejected' })] }],
    ['was never sent', { ...failed, dispatches: [makeDispatch({ phase: 'intent' })] }],
  ])('is not offered when it %s', (_when, task) => {
    setUp(<RecoverPanel task={task} />);
    expect(screen.queryByRole('form')).not.toBeInTheDocument();
  });
});
