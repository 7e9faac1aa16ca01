import { eq, sql } from 'drizzle-orm';
import type { DbOrTx } from '#server/db/client.ts';
import {
  creditAccounts,
  dispatches,
  generationTaskDetails,
  generationTasks,
  models,
  outputs,
  providerChannels,
  users,
} from '#server/db/schema/index.ts';
import type { TaskSnapshot } from '#server/generation/schemas.ts';
import { isComposite, type Kind, type Status, type TaskKind } from '#server/generation/status.ts';
import { newId } from '#server/lib/ids.ts';
import { insertTaskMoney, moveCredits, present } from './factory-money.ts';

/**
 * Real rows with unique values, for tests of single functions. Money always adds up: Σ ledger = balance, and each hold
 * agrees with its task. Rows are written directly, not through the code under test.
 */

export type TestUser = typeof users.$inferSelect;
export type TestChannel = typeof providerChannels.$inferSelect;
export type TestModel = typeof models.$inferSelect;
type TestDispatch = typeof dispatches.$inferSelect;
export type TestTask = typeof generationTasks.$inferSelect & {
  holdCredits: number;
  /** The row's dispatch, where its status implies one. */
  dispatch: TestDispatch | undefined;
};

/** A user with a credit account. `balanceCredits` (1,000 unless told) is granted by a ledger entry. */
export async function createUser(
  db: DbOrTx,
  overrides: Partial<typeof users.$inferInsert> & { balanceCredits?: number } = {},
): Promise<TestUser> {
  const { balanceCredits = 1_000, ...columns } = overrides;
  const id = columns.id ?? newId();
  return db.transaction(async (tx) => {
    const [user] = await tx
      .insert(users)
      .values({
        id,
        email: `user-${id}@example.com`,
        displayName: 'Test User',
        passwordHash: '!',
        ...columns,
      })
      .returning();
    await tx.insert(creditAccounts).values({ userId: id });
    await moveCredits(tx, { userId: id, kind: 'grant', credits: balanceCredits, key: `grant:user:${id}` });
    return present(user);
  });
}

/** An enabled channel of the `openai` protocol. Its base URL leads nowhere unless given. */
export async function createChannel(
  db: DbOrTx,
  overrides: Partial<typeof providerChannels.$inferInsert> = {},
): Promise<TestChannel> {
  const id = overrides.id ?? newId();
  const [channel] = await db
    .insert(providerChannels)
    .values({ id, name: `channel-${id}`, protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1', ...overrides })
    .returning();
  return present(channel);
}

const ENDPOINTS = { image: 'images', video: 'videos', audio: 'speech', text: 'responses' } as const;

/** An enabled image model at 4 credits per output, on a channel of its own unless `channelId` is given. */
export async function createModel(
  db: DbOrTx,
  overrides: Partial<typeof models.$inferInsert> = {},
): Promise<TestModel> {
  const id = overrides.id ?? newId();
  const kind = overrides.kind ?? 'image';
  const channelId = overrides.channelId ?? (await createChannel(db)).id;
  const [model] = await db
    .insert(models)
    .values({
      id,
      slug: `model-${id}`,
      title: 'Test model',
      upstreamModel: 'test-model',
      endpoint: ENDPOINTS[kind],
      parameters: { n: { type: 'integer', label: 'Number', minimum: 1, maximum: 4, default: 1 } },
      price: { unit: 'output', credits: 4 },
      ...overrides,
      kind,
      channelId,
    })
    .returning();
  return present(model);
}

export type TaskOverrides = Partial<typeof generationTasks.$inferInsert> & {
  holdCredits?: number;
  prompt?: string;
  params?: Record<string, unknown>;
  snapshot?: Partial<TaskSnapshot>;
  details?: Partial<typeof generationTaskDetails.$inferInsert>;
  /** Columns of its dispatch, or false for none. Statuses past `queued` get a fitting one unless told. */
  dispatch?: Partial<typeof dispatches.$inferInsert> | false;
};

/**
 * A task in any status (`queued` unless told), due now if live, with details, hold, hold entry, and what its status
 * implies: the dispatch, one output when succeeded, the open refund when failed, the returned hold when cancelled.
 * User, channel and model are made unless their ids are given; a given user pays the hold from the balance.
 */
export async function createTask(db: DbOrTx, overrides: TaskOverrides = {}): Promise<TestTask> {
  const {
    holdCredits = 4,
    prompt = 'a lighthouse',
    params = {},
    snapshot,
    details,
    dispatch,
    ...columns
  } = overrides;
  return db.transaction(async (tx) => {
    const id = columns.id ?? newId();
    const status = columns.status ?? 'queued';
    const userId = columns.userId ?? (await createUser(tx)).id;
    const model = columns.modelId
      ? present((await tx.select().from(models).where(eq(models.id, columns.modelId)))[0])
      : await createModel(tx, { kind: modelKind(columns.kind), channelId: columns.channelId });
    const channelId = columns.channelId ?? model.channelId;
    const channel = present(
      (await tx.select().from(providerChannels).where(eq(providerChannels.id, channelId)))[0],
    );

    const [task] = await tx
      .insert(generationTasks)
      .values({
        kind: status === 'waiting' ? 'agent' : model.kind,
        ...columnsOf(status),
        ...columns,
        id,
        status,
        userId,
        modelId: model.id,
        channelId,
      })
      .returning();
    await tx.insert(generationTaskDetails).values({
      taskId: id,
      prompt,
      params,
      snapshot: { ...snapshotOf(model, channel, holdCredits), ...snapshot },
      ...(status === 'archiving' || status === 'succeeded'
        ? { artefacts: [{ type: 'text', text: 'made' }] }
        : {}),
      ...details,
    });
    const row = dispatch === false ? undefined : await insertDispatch(tx, present(task), dispatch);
    if (status === 'succeeded') await insertOutput(tx, id, model.kind);
    await insertTaskMoney(tx, { id, userId, status, holdCredits });
    return { ...present(task), holdCredits, dispatch: row };
  });
}

/** A composite is driven by a model of text. */
const modelKind = (kind: TaskKind | undefined): Kind | undefined =>
  kind !== undefined && isComposite(kind) ? 'text' : kind;

const soon = (seconds: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** Columns that the CHECKs of `generation_tasks` ask of a status. */
function columnsOf(status: Status) {
  const sent = status === 'queued' ? {} : { sentAt: soon(-2), createTries: 1 };
  const accepted = { ...sent, acceptedAt: soon(-1), deadlineAt: soon(3_600) };
  const live = { nextPollAt: soon(0), giveUpAt: soon(86_400) };
  const ended = { nextPollAt: null, giveUpAt: soon(86_400), finishedAt: soon(0) };
  switch (status) {
    case 'queued':
    case 'dispatching':
      return { ...live, ...sent };
    case 'running':
      return { ...live, ...accepted };
    case 'uncertain':
      return { ...live, ...sent, uncertainReason: 'no_answer' as const, uncertainUntil: soon(86_400) };
    case 'archiving':
      return { ...live, ...accepted, archiveUntil: soon(86_400) };
    case 'waiting':
      return { ...live, waitingFor: 'children' as const, waitingUntil: soon(86_400) };
    case 'succeeded':
      return { ...ended, ...accepted, hasOutputs: true, progress: 100 };
    case 'failed':
      return { ...ended, ...accepted, failureCode: 'upstream_failed' };
    case 'cancelled':
      return { ...ended, cancelRequestedAt: soon(-1) };
  }
}

function snapshotOf(model: TestModel, channel: TestChannel, holdCredits: number): TaskSnapshot {
  return {
    modelSlug: model.slug,
    modelTitle: model.title,
    upstreamModel: model.upstreamModel,
    endpoint: model.endpoint,
    protocol: channel.protocol,
    baseUrl: channel.baseUrl,
    keyId: null,
    price: model.price,
    orderedUnits: 1,
    orderedOutputs: 1,
    holdCredits,
    createTimeoutSeconds: model.createTimeoutSeconds,
    deadlineSeconds: model.deadlineSeconds,
    chargedWhenCancelled: model.chargedWhenCancelled,
  };
}

/** The dispatch that a status implies; none for `queued`, `waiting` and `cancelled` unless columns are given. */
async function insertDispatch(
  tx: DbOrTx,
  task: typeof generationTasks.$inferSelect,
  columns: Partial<typeof dispatches.$inferInsert> | undefined,
): Promise<TestDispatch | undefined> {
  if (!columns && ['queued', 'waiting', 'cancelled'].includes(task.status)) return undefined;
  const upstreamId = `job-${newId()}`;
  const endpoint = ENDPOINTS[modelKind(task.kind) ?? 'text'];
  const sent = { phase: 'sent' as const, sentAt: soon(-2) };
  const accepted = {
    ...sent,
    outcome: 'accepted' as const,
    outcomeAt: soon(-1),
    evidenceFrom: 'call',
    upstreamId,
    pollRef: { id: upstreamId, endpoint },
  };
  const preset = ['running', 'archiving', 'succeeded', 'failed'].includes(task.status) ? accepted : sent;
  const [row] = await tx
    .insert(dispatches)
    .values({
      number: 1,
      executorId: newId(),
      claimToken: task.leaseToken,
      ...preset,
      ...columns,
      taskId: task.id,
      channelId: task.channelId,
    })
    .returning();
  return row;
}

async function insertOutput(tx: DbOrTx, taskId: string, kind: TestModel['kind']): Promise<void> {
  const mime = { image: 'image/png', video: 'video/mp4', audio: 'audio/wav', text: 'text/plain' }[kind];
  await tx.insert(outputs).values({
    taskId,
    ordinal: 0,
    kind,
    mime,
    bytes: 4,
    sha256: '0'.repeat(64),
    storageKey: `outputs/${taskId}/0`,
  });
}
