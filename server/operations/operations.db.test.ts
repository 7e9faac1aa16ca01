import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClaimer } from '#server/generation/claimer.ts';
import { dramaInput, dramaRedoInput } from '#server/generation/drama/schemas.ts';
import { createDramaRig, type DramaRig } from '#server/generation/drama/testing/drama-rig.ts';
import { createSlots } from '#server/generation/slots.ts';
import { newId } from '#server/lib/ids.ts';
import { createUser } from '#server/testing/factories.ts';
import type { Context, Identity } from '#server/trpc/context.ts';
import { createCallerFactory } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/root.ts';
import { testOperations } from './testing/test-operations.ts';

vi.mock(
  '#server/composition/compose-film.ts',
  () => import('#server/generation/drama/testing/quick-composer.ts'),
);

const caller = createCallerFactory(appRouter);

let rig: DramaRig;
let admin: ReturnType<typeof caller>;
let adminId: string;
let user: ReturnType<typeof caller>;
let service: ReturnType<typeof caller>;

beforeAll(async () => {
  rig = await createDramaRig();
  const as = (identity: Identity) =>
    caller({
      deps: rig.deps,
      executor: rig.executor,
      identity,
      requestId: newId(),
      clientAddress: '127.0.0.1',
    } as unknown as Context);
  const person = await createUser(rig.db, { role: 'admin', email: 'boss@example.com' });
  adminId = person.id;
  const names = { email: 'x@example.com', displayName: 'X' };
  admin = as({ type: 'session', sessionId: 's', user: { ...names, id: person.id, role: 'admin' } });
  user = as({ type: 'session', sessionId: 's', user: { ...names, id: rig.user.id, role: 'user' } });
  service = as({
    type: 'api-token',
    tokenId: newId(),
    scopes: ['read', 'submit', 'cancel'],
    user: { ...names, id: rig.user.id, role: 'user' },
  });
});
afterAll(() => rig.close());

const audited = () =>
  rig.t.sql<
    { action: string; subject_id: string; reason: string | null; data: unknown }[]
  >`select action, subject_id, reason, data from audit_log where actor_id = ${adminId} order by id desc`;

const tasks = async () => Number((await rig.t.sql`select count(*) from generation_tasks`)[0]?.count);

const image = (overrides = {}) => ({
  kind: 'image' as const,
  model: rig.models.image.slug,
  prompt: 'a lamp',
  params: {},
  references: [],
  requestKey: newId(),
  ...overrides,
});

const drama = () => {
  const { requestKey: _, ...input } = dramaInput.parse({
    source: 'idea',
    text: 'A lamp [[shots=1]] [[seconds=1]]',
    models: { storyboard: rig.models.text.slug, picture: rig.models.image.slug },
    shots: 1,
    titleCard: false,
    startBelowCredits: 1_000,
    requestKey: newId(),
  });
  return { ...input, requestKey: newId() };
};

const agent = () => ({
  model: rig.models.text.slug,
  goal: 'a picture of a lamp',
  allowed: [{ kind: 'image' as const, model: rig.models.image.slug }],
  budgetCredits: 20,
  maxSteps: 4,
  approval: 'none' as const,
  references: [],
  requestKey: newId(),
});

describe('a paused intake', () => {
  it('refuses every way to a new task with the reason, and lets what was accepted go on to its end', async () => {
    const order = image();
    const before = await user.generation.submit(order);
    await rig.runToEnd(before.taskId);
    const film = await user.dramas.submit(drama());
    const ended = await rig.ended(film.taskId);
    expect(ended.task.status).toBe('succeeded');

    const accepted = await user.dramas.submit(drama());
    const single = await user.generation.submit(image());
    await admin.operations.pause({ scope: 'all', reason: 'We move to another house' });
    const count = await tasks();
    const shot = ended.shots[0]?.id ?? '';
    const redo = dramaRedoInput.parse({
      taskId: film.taskId,
      redo: [{ shotId: shot, part: 'picture', words: 'a red lamp' }],
      requestKey: newId(),
    });
    const ways: [string, () => Promise<unknown>][] = [
      ['submit', () => user.generation.submit(image())],
      ['submit by token', () => service.generation.submit(image())],
      ['retry', () => user.generation.retry({ taskId: before.taskId, requestKey: newId() })],
      ['agent', () => user.agents.submit(agent())],
      ['drama', () => user.dramas.submit(drama())],
      ['redo', () => user.dramas.redo(redo)],
      ['redo of nothing', () => user.dramas.redo({ ...redo, redo: [], requestKey: newId() })],
    ];
    for (const [way, go] of ways) {
      await expect(go(), way).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message:
          'New tasks are paused: We move to another house. Tasks that were accepted go on. Try again later.',
      });
    }
    expect(await tasks()).toBe(count);
    // The same request as before is the same task, not a new one.
    expect(await user.generation.submit(order)).toEqual({ taskId: before.taskId, created: false });

    expect((await rig.ended(accepted.taskId)).task.status).toBe('succeeded');
    expect((await rig.childrenOf(accepted.taskId)).length).toBeGreaterThan(0);
    expect((await rig.runToEnd(single.taskId)).status).toBe('succeeded');
    expect(await rig.audit()).toEqual([]);

    await admin.operations.resume({ scope: 'all' });
    const after = await user.generation.submit(image());
    expect((await rig.runToEnd(after.taskId)).status).toBe('succeeded');
  });

  it('of one kind closes that kind alone, and is told to everybody; each change leaves an audit row', async () => {
    await admin.operations.pause({ scope: 'agent', reason: 'The language model is out.' });
    await admin.operations.pause({ scope: 'agent', reason: 'The language model is out until noon.' });
    await expect(user.agents.submit(agent())).rejects.toMatchObject({
      message: expect.stringMatching(/^New agent tasks are paused: The language model is out until noon\. /),
    });
    expect((await user.generation.submit(image())).created).toBe(true);
    expect((await user.operations.banner()).pauses).toMatchObject([
      { scope: 'agent', reason: 'The language model is out until noon.' },
    ]);
    expect(await admin.operations.pauses()).toMatchObject([
      { scope: 'agent', pausedByEmail: 'boss@example.com' },
    ]);
    await admin.operations.resume({ scope: 'agent' });
    await expect(admin.operations.resume({ scope: 'agent' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await user.operations.banner()).pauses).toEqual([]);
    expect((await audited()).slice(0, 3)).toMatchObject([
      { action: 'intake.resume', subject_id: 'agent' },
      { action: 'intake.pause', reason: 'The language model is out until noon.' },
      { action: 'intake.pause', reason: 'The language model is out.' },
    ]);
  });
});

describe('announcements', () => {
  it('show between start and end, once per key, until they are withdrawn', async () => {
    const key = newId();
    const hours = (by: number) => new Date(Date.now() + by * 3_600_000);
    const first = { key, level: 'warning' as const, en: 'Work tonight.', zhCn: '今晚维护。' };
    await admin.operations.announce(first);
    await admin.operations.announce(first);
    const planned = await admin.operations.announce({ en: 'Tomorrow.', startsAt: hours(24) });
    const over = await admin.operations.announce({ en: 'For an hour.', endsAt: hours(1) });
    expect((await user.operations.banner()).announcements.map(({ text }) => text.en)).toEqual([
      'For an hour.',
      'Work tonight.',
    ]);
    await rig.t
      .sql`update announcements set starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour'
      where id = ${over.announcementId}`;
    await rig.deps.operations.refresh();
    expect((await user.operations.banner()).announcements).toEqual([
      { id: key, level: 'warning', text: { en: 'Work tonight.', 'zh-CN': '今晚维护。' } },
    ]);
    await admin.operations.withdrawAnnouncement({ announcementId: key });
    await expect(admin.operations.withdrawAnnouncement({ announcementId: key })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect((await user.operations.banner()).announcements).toEqual([]);
    const page = await admin.operations.announcements({ limit: 2 });
    const rest = await admin.operations.announcements({ limit: 2, cursor: page.nextCursor ?? '' });
    expect([...page.items, ...rest.items].map(({ id, state }) => [id, state])).toEqual(
      expect.arrayContaining([
        [over.announcementId, 'over'],
        [planned.announcementId, 'planned'],
        [key, 'withdrawn'],
      ]),
    );
    expect(rest.nextCursor).toBeNull();
    await expect(admin.operations.announce({ en: 'Too late.', endsAt: hours(-1) })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    expect((await audited()).map(({ action }) => action).slice(0, 4)).toEqual([
      'announcement.withdraw',
      'announcement.create',
      'announcement.create',
      'announcement.create',
    ]);
  });
});

describe('policies', () => {
  it('hold at once here and after a refresh in another process, and go back to the environment', async () => {
    const other = rig.anotherProcess();
    const { config } = other.deps;
    const environment = rig.deps.config.userInFlight;
    await admin.operations.setPolicy({ key: 'USER_IN_FLIGHT', value: '1' });
    await admin.operations.setPolicy({ key: 'SIGN_UP_OPEN', value: 'off' });
    await admin.operations.setPolicy({ key: 'UNCERTAIN_HOURS', value: '1.5' });
    await admin.operations.setPolicy({ key: 'RETENTION_EVENT_DAYS', value: '30' });
    expect(rig.deps.config).toMatchObject({ userInFlight: 1, signUpOpen: false, uncertainMs: 5_400_000 });
    expect(config.userInFlight).toBe(environment);
    await other.deps.operations.refresh();
    expect(config).toMatchObject({ userInFlight: 1, signUpOpen: false, retention: { eventDays: 30 } });

    const views = await admin.operations.policies();
    expect(views.find(({ key }) => key === 'USER_IN_FLIGHT')).toMatchObject({
      value: 1,
      environment,
      bounds: { min: 1, max: 10_000 },
      setByEmail: 'boss@example.com',
    });
    expect(views.find(({ key }) => key === 'GIVE_UP_HOURS')).toMatchObject({ value: 24, setAt: null });
    const signUp = user.auth.signUp({
      email: 'n@example.com',
      displayName: 'N',
      password: 'a quiet long password',
    });
    await expect(signUp).rejects.toMatchObject({ code: 'FORBIDDEN' });

    await admin.operations.resetPolicy({ key: 'USER_IN_FLIGHT' });
    await admin.operations.resetPolicy({ key: 'SIGN_UP_OPEN' });
    expect(rig.deps.config).toMatchObject({ userInFlight: environment, signUpOpen: true });
    await expect(admin.operations.resetPolicy({ key: 'SIGN_UP_OPEN' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(
      (await audited()).slice(0, 6).map(({ action, subject_id, data }) => [action, subject_id, data]),
    ).toEqual([
      ['policy.reset', 'SIGN_UP_OPEN', { from: false, to: true }],
      ['policy.reset', 'USER_IN_FLIGHT', { from: 1, to: environment }],
      ['policy.set', 'RETENTION_EVENT_DAYS', { from: 365, to: 30 }],
      ['policy.set', 'UNCERTAIN_HOURS', { from: 24, to: 1.5 }],
      ['policy.set', 'SIGN_UP_OPEN', { from: true, to: false }],
      ['policy.set', 'USER_IN_FLIGHT', { from: environment, to: 1 }],
    ]);
  });

  it('reach a started process by themselves, and no more once it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const { config, operations } = rig.anotherProcess().deps;
      operations.start();
      await admin.operations.setPolicy({ key: 'REFUND_TRIES', value: '7' });
      expect(config.refundTries).not.toBe(7);
      vi.advanceTimersByTime(5_000);
      // Resolves when what the timer has begun is read.
      await operations.close();
      expect(config.refundTries).toBe(7);
      await admin.operations.resetPolicy({ key: 'REFUND_TRIES' });
      vi.advanceTimersByTime(60_000);
      await operations.close();
      expect(config.refundTries).toBe(7);
    } finally {
      vi.useRealTimers();
    }
  });

  it('limit the very next claim of a process that is running', async () => {
    const slots = createSlots({ poll: 8, create: 8, transfer: 8, compose: 1 });
    const claimer = createClaimer(rig.deps, { executorId: newId(), slots });
    await admin.operations.setPolicy({ key: 'USER_IN_FLIGHT', value: '1' });
    const { id: userId } = await createUser(rig.db, { balanceCredits: 100 });
    const taskIds = [await rig.submit('video', { userId }), await rig.submit('video', { userId })];
    expect((await claimer.claim({ taskIds, workerId: null }, 8)).tasks).toHaveLength(1);
    await admin.operations.resetPolicy({ key: 'USER_IN_FLIGHT' });
  });

  it('outside their bounds are refused, and a stored value that does not fit is passed over', async () => {
    for (const value of ['0', '10001', '1.5', '-1', '1e3', 'many', '']) {
      await expect(admin.operations.setPolicy({ key: 'USER_IN_FLIGHT', value }), value).rejects.toMatchObject(
        { code: 'BAD_REQUEST', message: 'Enter a whole number from 1 to 10000.' },
      );
    }
    await rig.t
      .sql`insert into settings (key, value) values ('REFUND_TRIES', '"many"'), ('NO_SUCH_POLICY', '1')`;
    const before = rig.deps.config.refundTries;
    await rig.deps.operations.refresh();
    expect(rig.deps.config.refundTries).toBe(before);
  });
});

describe('the audit log', () => {
  it('is read by person, action, subject and day, page by page', async () => {
    const all = await admin.operations.auditLog({ limit: 100 });
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await admin.operations.auditLog({ limit: 3, cursor });
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(paged).toEqual(all.items.map(({ id }) => id));
    const oldest = await admin.operations.auditLog({ sort: 'oldest', limit: 100 });
    expect(oldest.items.map(({ id }) => id)).toEqual([...paged].reverse());
    const second = { sort: 'oldest' as const, limit: 100, cursor: oldest.items[0]?.id };
    expect((await admin.operations.auditLog(second)).items).toEqual(oldest.items.slice(1));
    const only = async (filters: object) =>
      (await admin.operations.auditLog(filters)).items.map(({ action }) => action);
    expect(new Set(await only({ action: 'policy' }))).toEqual(new Set(['policy.set', 'policy.reset']));
    expect(new Set(await only({ action: 'policy.reset', actor: 'boss@' }))).toEqual(
      new Set(['policy.reset']),
    );
    expect(await only({ actor: adminId, subjectId: 'agent' })).toHaveLength(3);
    const today = new Date().toISOString().slice(0, 10);
    expect(await only({ from: '2000-01-01', to: '2000-01-02' })).toEqual([]);
    expect((await only({ from: '2000-01-01', to: today })).length).toBeGreaterThan(0);
    // A wildcard is a letter like any other.
    expect(await only({ actor: '%' })).toEqual([]);
  });
});

it('the system page tells versions and secrets only as set or missing; all of it is for administrators', async () => {
  const system = await admin.operations.system();
  expect(system).toMatchObject({
    nodeVersion: process.version,
    postgresVersion: expect.stringMatching(/^\d+/),
    storage: { driver: 'fs', answers: true },
    mediaTools: { ffmpeg: '/usr/bin/ffmpeg', ffprobe: '/usr/bin/ffprobe' },
    payments: null,
  });
  for (const refused of [
    user.operations.pauses(),
    user.operations.pause({ scope: 'all', reason: 'For fun' }),
    user.operations.resume({ scope: 'all' }),
    user.operations.announcements(),
    user.operations.announce({ en: 'Buy my things' }),
    user.operations.withdrawAnnouncement({ announcementId: newId() }),
    user.operations.policies(),
    user.operations.setPolicy({ key: 'SIGN_UP_CREDITS', value: '1000000' }),
    user.operations.resetPolicy({ key: 'SIGN_UP_CREDITS' }),
    user.operations.auditLog(),
    user.operations.system(),
  ]) {
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  }
});

it('the banner shows what was known before while the database does not answer', async () => {
  const broken = testOperations({
    ...rig.deps,
    db: {
      select() {
        throw new Error('gone');
      },
    } as unknown as typeof rig.db,
  });
  expect(await broken.banner()).toEqual({ announcements: [], pauses: [] });
});
