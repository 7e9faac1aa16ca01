import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { LanguageProvider } from '#app/lib/language.tsx';
import { PageClockProvider } from '#app/lib/page-clock.tsx';
import { makeAdminModel, makeChannel } from '#app/testing/channel-fixtures.ts';
import { renderInApp } from '#app/testing/render.tsx';
import type { AuditEntryView, PauseView, PolicyView, SystemView } from '#server/operations/schemas.ts';
import Announcements, {
  action as announcementsAction,
  loader as announcementsLoader,
} from './admin.announcements.tsx';
import AuditLog, { loader as auditLoader } from './admin.audit.tsx';
import { loader as csvLoader } from './admin.audit[.]csv.ts';
import Pauses, { action as pausesAction, loader as pausesLoader } from './admin.pauses.tsx';
import Policies, { action as policiesAction, loader as policiesLoader } from './admin.settings.tsx';
import SetUp, { loader as setUpLoader } from './admin.setup.tsx';
import System, { loader as systemLoader } from './admin.system.tsx';

const ADMIN = { id: 'a1', email: 'ada@example.com', displayName: 'Ada', role: 'admin' };
const contextOf = (operations: object, others: object = {}) => ({
  user: ADMIN,
  trpc: { operations, ...others },
});

describe('the pauses', () => {
  const paused: PauseView = {
    scope: 'video',
    reason: 'The upstream is down.',
    pausedAt: new Date(),
    pausedByEmail: 'ada@example.com',
  };

  function show(operations: object) {
    const context = contextOf({ pauses: async () => [paused], ...operations });
    return renderInApp(<Pauses />, {
      url: '/admin/pauses',
      loader: ({ request }) => pausesLoader({ request, context } as never),
      action: ({ request }) => pausesAction({ request, context } as never),
    });
  }

  it('show every kind with its state, and resume one after asking', async () => {
    const resume = vi.fn(async () => ({ ok: true }));
    show({ resume });
    const table = await screen.findByRole('table', { name: 'What takes new tasks' });
    expect(within(table).getAllByRole('row')).toHaveLength(8);
    const row = within(table).getByRole('row', { name: /Videos/ });
    expect(row).toHaveTextContent('Paused');
    expect(row).toHaveTextContent('The upstream is down.');
    await userEvent.click(within(row).getByRole('button', { name: 'Resume: Videos' }));
    await userEvent.click(within(row).getByRole('button', { name: 'Accept new tasks' }));
    expect(await screen.findByText('New tasks are accepted again.')).toBeInTheDocument();
    expect(resume).toHaveBeenCalledExactlyOnceWith({ scope: 'video' });
  });

  it('ask for a reason before anything is paused', async () => {
    const pause = vi.fn(async () => ({ ok: true }));
    show({ pause });
    const form = await screen.findByRole('form', { name: 'Pause new tasks' });
    const submit = async () => {
      await userEvent.click(within(form).getByRole('button', { name: 'Pause' }));
      await userEvent.click(within(form).getByRole('button', { name: 'Refuse new tasks' }));
    };
    await submit();
    expect(await within(form).findByText('Say why; users read it.')).toBeInTheDocument();
    expect(pause).not.toHaveBeenCalled();
    await userEvent.selectOptions(within(form).getByLabelText(/^What to pause/), 'Images');
    await userEvent.type(within(form).getByLabelText(/^Why/), 'We move house.');
    await submit();
    expect(await screen.findByText(/^It is paused\./)).toBeInTheDocument();
    expect(pause).toHaveBeenCalledExactlyOnceWith({ scope: 'image', reason: 'We move house.' });
  });
});

describe('the announcements', () => {
  it('are read as UTC, once per key', async () => {
    const announce = vi.fn(async (_input: Record<string, unknown>) => ({ announcementId: 'x' }));
    const context = contextOf({ announce, announcements: async () => ({ items: [], nextCursor: null }) });
    renderInApp(<Announcements />, {
      url: '/admin/announcements',
      loader: ({ request }) => announcementsLoader({ request, context } as never),
      action: ({ request }) => announcementsAction({ request, context } as never),
    });
    const form = await screen.findByRole('form', { name: 'New announcement' });
    await userEvent.type(within(form).getByLabelText(/^English/), 'Work tonight.');
    await userEvent.type(within(form).getByLabelText('简体中文'), '今晚维护。');
    await userEvent.type(within(form).getByLabelText('From (UTC)'), '2030-01-02T03:04');
    await userEvent.click(within(form).getByRole('button', { name: 'Announce' }));
    expect(await screen.findByText('The announcement is saved.')).toBeInTheDocument();
    expect(announce.mock.calls[0]?.[0]).toEqual({
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      level: 'info',
      en: 'Work tonight.',
      zhCn: '今晚维护。',
      startsAt: new Date('2030-01-02T03:04:00Z'),
      endsAt: undefined,
    });
    // The next one is another one.
    await waitFor(() => expect(screen.getByLabelText(/^English/)).toHaveValue(''));
  });
});

it('an announcement is meant in the zone of the page, which is named beside its times', async () => {
  const announce = vi.fn(async (_input: Record<string, unknown>) => ({ announcementId: 'x' }));
  const context = contextOf({ announce, announcements: async () => ({ items: [], nextCursor: null }) });
  renderInApp(
    <PageClockProvider value={{ timeZone: 'Asia/Shanghai', renderedAt: null }}>
      <Announcements />
    </PageClockProvider>,
    {
      url: '/admin/announcements',
      loader: ({ request }) => announcementsLoader({ request, context } as never),
      action: ({ request }) => announcementsAction({ request, context } as never),
    },
  );
  const form = await screen.findByRole('form', { name: 'New announcement' });
  await userEvent.type(within(form).getByLabelText(/^English/), 'Work tonight.');
  await userEvent.type(within(form).getByLabelText('From (Asia/Shanghai)'), '2030-01-02T08:00');
  await userEvent.type(within(form).getByLabelText('Until (Asia/Shanghai)'), '2030-01-02T09:30');
  await userEvent.click(within(form).getByRole('button', { name: 'Announce' }));
  expect(await screen.findByText('The announcement is saved.')).toBeInTheDocument();
  expect(announce.mock.calls[0]?.[0]).toMatchObject({
    startsAt: new Date('2030-01-02T00:00:00Z'),
    endsAt: new Date('2030-01-02T01:30:00Z'),
  });
});

const policy = (over: Partial<PolicyView>): PolicyView => ({
  key: 'USER_IN_FLIGHT',
  group: 'work',
  type: 'whole',
  unit: 'tasks',
  bounds: { min: 1, max: 10_000 },
  value: 20,
  environment: 20,
  setAt: null,
  setByEmail: null,
  ...over,
});

describe('the policies', () => {
  it('show what holds and where it comes from, set and reset one', async () => {
    const setPolicy = vi.fn(async () => ({ ok: true }));
    const resetPolicy = vi.fn(async () => ({ ok: true }));
    const policies = [
      policy({}),
      policy({
        key: 'SIGN_UP_OPEN',
        group: 'accounts',
        type: 'switch',
        unit: null,
        bounds: null,
        value: false,
        environment: true,
        setAt: new Date(),
        setByEmail: 'ada@example.com',
      }),
    ];
    const context = contextOf({ policies: async () => policies, setPolicy, resetPolicy });
    renderInApp(<Policies />, {
      url: '/admin/settings',
      loader: ({ request }) => policiesLoader({ request, context } as never),
      action: ({ request }) => policiesAction({ request, context } as never),
    });
    const form = await screen.findByRole('form', { name: 'Tasks of one user in flight' });
    expect(within(form).getByText('1 to 10,000')).toBeInTheDocument();
    const field = within(form).getByLabelText('Tasks of one user in flight (tasks)');
    await userEvent.clear(field);
    await userEvent.type(field, '7');
    await userEvent.click(within(form).getByRole('button', { name: 'Set: Tasks of one user in flight' }));
    expect(await screen.findByText(/^The policy is set\./)).toBeInTheDocument();
    expect(setPolicy).toHaveBeenCalledExactlyOnceWith({ key: 'USER_IN_FLIGHT', value: '7' });

    expect(screen.getByText('Environment: On')).toBeInTheDocument();
    expect(screen.getByText(/Set by ada@example\.com/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Reset: Sign-up' }));
    await userEvent.click(screen.getByRole('button', { name: 'Follow the environment' }));
    expect(await screen.findByText(/follows the environment again/)).toBeInTheDocument();
    expect(resetPolicy).toHaveBeenCalledExactlyOnceWith({ key: 'SIGN_UP_OPEN' });
  });
});

describe('the audit log', () => {
  const entry: AuditEntryView = {
    id: 'e1',
    at: new Date('2030-01-02T03:04:05Z'),
    actorId: null,
    actorEmail: null,
    action: 'channel.update',
    subject: 'channel',
    subjectId: 'c1',
    reason: '=1+1',
    data: { name: 'Main' },
  };

  it('asks for what its address says, and passes over what cannot be meant', async () => {
    const auditLog = vi.fn(async (_input: object) => ({ items: [entry], nextCursor: null }));
    const context = contextOf({ auditLog });
    renderInApp(<AuditLog />, {
      url: '/admin/audit?actor=ada&action=channel&from=2030-01-01&to=someday&cursor=nonsense',
      loader: ({ request }) => auditLoader({ request, context } as never),
    });
    expect(await screen.findByRole('link', { name: 'c1' })).toHaveAttribute('href', '/admin/channels/c1');
    expect(screen.getByText('command line')).toBeInTheDocument();
    expect(auditLog.mock.calls[0]?.[0]).toEqual({
      actor: 'ada',
      action: 'channel',
      from: '2030-01-01',
      limit: 50,
    });
    expect(screen.getByRole('link', { name: /CSV/ })).toHaveAttribute(
      'href',
      expect.stringContaining('/admin/audit.csv?actor=ada&action=channel'),
    );
  });

  it('as CSV holds all pages, and no formula', async () => {
    const auditLog = vi.fn(async ({ cursor }: { cursor?: string }) => ({
      items: [entry],
      nextCursor: cursor ? null : '00000000-0000-7000-8000-000000000000',
    }));
    const request = new Request('http://site.invalid/admin/audit.csv?actor=ada');
    const answer = await csvLoader({ request, context: contextOf({ auditLog }) } as never);
    const lines = (await answer.text()).trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain("'=1+1");
    expect(auditLog).toHaveBeenCalledWith(expect.objectContaining({ actor: 'ada' }));
  });
});

it('the system page says what to look at, in the page’s language, and never a secret', async () => {
  const system: SystemView = {
    appVersion: '0.1.0',
    nodeVersion: 'v20.20.2',
    postgresVersion: '17.1',
    protocol: { current: 3, oldest: 2 },
    migrations: { known: 9, pending: ['0009_workbench'] },
    storage: { driver: 'fs', answers: true },
    mediaTools: { ffmpeg: '/usr/bin/ffmpeg', ffprobe: null },
    payments: null,
    environment: [
      { name: 'ENCRYPTION_KEY', from: 'environment', value: null, secret: true },
      { name: 'MAINTENANCE_TOKEN', from: 'default', value: null, secret: true },
      { name: 'PORT', from: 'default', value: '3000', secret: false },
    ],
    warnings: ['plain_http', 'pending_migrations'],
  };
  const context = contextOf({ system: async () => system });
  renderInApp(
    <LanguageProvider value="zh-CN">
      <System />
    </LanguageProvider>,
    { url: '/admin/system', loader: ({ request }) => systemLoader({ request, context } as never) },
  );
  expect(await screen.findByText(/PUBLIC_ORIGIN 使用 http/)).toBeInTheDocument();
  expect(screen.getByText('缺少：0009_workbench')).toBeInTheDocument();
  expect(screen.getByRole('row', { name: /ENCRYPTION_KEY 已设置/ })).toBeInTheDocument();
  expect(screen.getByRole('row', { name: /MAINTENANCE_TOKEN 缺失/ })).toBeInTheDocument();
});

describe('the set-up', () => {
  function lists(has: { channel?: boolean; model?: boolean; success?: boolean }) {
    return {
      channels: { list: async () => (has.channel ? [makeChannel({ id: 'c1', enabled: true })] : []) },
      models: { list: async () => (has.model ? [makeAdminModel({ enabled: true })] : []) },
      workers: { list: async () => [] },
      adminTasks: { list: async () => ({ items: has.success ? [{}] : [], nextCursor: null }) },
    };
  }

  it.each([
    [{}, '/admin/channels/new'],
    [{ channel: true }, '/admin/models/new'],
    [{ channel: true, model: true }, '/workbench'],
  ] as const)('with %j leads to %s', async (has, to) => {
    const context = contextOf({}, lists(has));
    renderInApp(<SetUp />, {
      url: '/admin/setup',
      loader: ({ request }) => setUpLoader({ request, context } as never),
    });
    const list = await screen.findByRole('list', { name: 'First steps' });
    expect(within(list).getAllByRole('link')[0]).toHaveAttribute('href', to);
  });

  it('sends whoever has a channel on to the workbench after sign-in, and stays when asked for', async () => {
    const load = (address: string, has: object) =>
      setUpLoader({
        request: new Request(`http://site.invalid${address}`),
        context: contextOf({}, lists(has)),
      } as never);
    const answer = await load('/admin/setup?first=1', { channel: true }).catch((thrown: Response) => thrown);
    expect((answer as Response).headers.get('location')).toBe('/workbench');
    expect(await load('/admin/setup?first=1', {})).toMatchObject({ channelId: null });
    expect(await load('/admin/setup', { channel: true })).toMatchObject({ channelId: 'c1' });
  });
});
