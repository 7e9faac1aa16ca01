import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { type StepRow, updateComposite, updateStep } from '../composite/queries.ts';
import { CompositeLost, recordSteps, startChild, underLease } from '../composite/start-child.ts';
import type { CompositeAction, CompositeStep } from '../composite/step.ts';
import { type ConversationAnswer, conversationAnswer } from '../conversation/schemas.ts';
import { appendEvent } from '../event-queries.ts';
import { findModel } from '../model-queries.ts';
import type { ParameterSchema } from '../schemas.ts';
import { isTerminal } from '../status.ts';
import { countShots, settingsOf } from './composite-state.ts';
import { mostSeconds } from './fit-params.ts';
import { loadDramaModels } from './load-models.ts';
import { quotePlan } from './quote-plan.ts';
import { readStoryboard } from './read-storyboard.ts';
import type { DramaPlan } from './schemas.ts';
import { fitStoryboard, type StoryboardTry } from './storyboard-conversation.ts';

/** The first one and two repairs. */
const STORYBOARD_TRIES = 3;
const TOO_LONG = 'The text is too long for the language model. Shorten it, or choose another model.';
const FILE_GONE = 'The storyboard is not in storage any more. Order the film anew.';
/** An answer beyond this is kept nowhere. */
const MOST_ANSWER_CHARACTERS = 400_000;

/** What a storyboard's step keeps; `plan`: one that could be filmed, though something is wrong with it. */
export type StoryboardResult = {
  problem: string | null;
  problems?: string[];
  answer?: ConversationAnswer;
  plan?: DramaPlan;
  /** Nothing that a further try could mend. */
  final?: boolean;
  /** Why the shots did not start by themselves. */
  notStarted?: string;
};

export const isStoryboard = ({ kind }: Pick<StepRow, 'kind'>): boolean => kind === 'storyboard';
export const storyboardResult = ({ result }: Pick<StepRow, 'result'>): StoryboardResult =>
  (result ?? { problem: null }) as StoryboardResult;

/** Asks for the storyboard, reads it, asks for a repair, at most twice. */
export async function advanceStoryboard(step: CompositeStep): Promise<CompositeAction> {
  const tries = step.steps.filter(isStoryboard);
  const last = tries.at(-1);
  if (!last) return ask(step, 1);
  switch (last.status) {
    case 'planned':
      return start(step, last, tries.slice(0, -1));
    case 'running': {
      const child = last.childTaskId === null ? undefined : step.children.get(last.childTaskId);
      return child && !isTerminal(child.task.status)
        ? { type: 'wait', for: 'children' }
        : read(step, last, tries);
    }
    default: {
      const { final, problem } = storyboardResult(last);
      if (!final && tries.length < STORYBOARD_TRIES) return ask(step, tries.length + 1);
      return { type: 'end', to: 'failed', code: 'step_failed', detail: problem ?? undefined };
    }
  }
}

async function ask(step: CompositeStep, number: number): Promise<CompositeAction> {
  await recordSteps(step, [{ key: `storyboard:${number}`, kind: 'storyboard', input: { number } }]);
  return { type: 'again' };
}

async function start(
  step: CompositeStep,
  planned: StepRow,
  before: readonly StepRow[],
): Promise<CompositeAction> {
  const settings = settingsOf(step.composite);
  const earlier = before.flatMap((each): StoryboardTry[] => {
    const { answer, problems } = storyboardResult(each);
    return answer && problems ? [{ answer, problems }] : [];
  });
  const driver = await findModel(step.deps.db, settings.models.storyboard);
  const conversation = fitStoryboard(settings, earlier, {
    seconds: await longestClip(step),
    characters: driver?.model.maxPromptCharacters ?? Number.POSITIVE_INFINITY,
  });
  if (!conversation) return giveUp(step, planned, { tries: before, problem: TOO_LONG });
  const started = await startChild(step, {
    stepKey: planned.key,
    paidBy: 'balance',
    order: {
      kind: 'text',
      model: settings.models.storyboard,
      prompt: before.length === 0 ? 'Storyboard' : `Storyboard, repair ${before.length}`,
      params: answerLength(driver?.model.parameters ?? {}, settings.shots),
      references: [],
      conversation,
    },
  });
  switch (started.type) {
    case 'started':
    case 'not_planned':
      return { type: 'wait', for: 'children' };
    case 'lost':
      throw new CompositeLost();
    case 'refused':
    case 'over_budget': {
      const problem =
        started.type === 'refused' ? started.message : `It costs ${started.neededCredits} credits.`;
      return giveUp(step, planned, { tries: before, problem });
    }
  }
}

/** A storyboard is long: a model that can be told how much it may write is given room for it. */
function answerLength({ max_tokens: spec }: ParameterSchema, shots: number): Record<string, unknown> {
  if (spec?.type !== 'integer') return {};
  const wanted = 2_000 + 400 * shots;
  return { max_tokens: Math.max(spec.default, Math.min(spec.maximum, Math.max(spec.minimum, wanted))) };
}

async function read(
  step: CompositeStep,
  running: StepRow,
  tries: readonly StepRow[],
): Promise<CompositeAction> {
  const child = running.childTaskId === null ? undefined : step.children.get(running.childTaskId);
  const output = child?.outputs.find(({ kind, removedAt }) => kind === 'text' && removedAt === null);
  if (!child || child.task.status === 'failed' || !output) {
    const problem = child?.failureMessage ?? 'The storyboard was not delivered.';
    return giveUp(step, running, { tries, problem });
  }
  const answer = await readAnswer(step.deps, output.storageKey);
  if (!answer) return giveUp(step, running, { tries, problem: FILE_GONE });
  const found = readStoryboard(answer, settingsOf(step.composite), await longestClip(step));
  if (found.type === 'plan') return accept(step, running, { plan: found.plan, problem: null });

  const problem = `The storyboard could not be used: ${found.problems[0]}`;
  if (tries.length < STORYBOARD_TRIES) {
    const { problems } = found;
    const plan = found.type === 'dialogue' ? { plan: found.plan } : {};
    return fail(step, running, { problem, problems, answer, ...plan });
  }
  if (found.type === 'dialogue') return accept(step, running, withWarning(found.plan, found.problems));
  return giveUp(step, running, { tries, problem });
}

/** No further try mends it. One that could be filmed was paid for, and its dialogue is the user's to mend. */
async function giveUp(
  step: CompositeStep,
  last: StepRow,
  { tries, problem }: { tries: readonly StepRow[]; problem: string },
): Promise<CompositeAction> {
  const usable = tries.map(storyboardResult).findLast(({ plan }) => plan !== undefined);
  if (usable?.plan) return accept(step, last, withWarning(usable.plan, usable.problems ?? []));
  return fail(step, last, { problem, final: true });
}

const withWarning = (plan: DramaPlan, problems: readonly string[]) => ({
  plan,
  problem: [
    'The dialogue is not word for word that of your script. Correct it before you start.',
    ...problems,
  ].join('\n'),
});

async function fail(
  step: CompositeStep,
  { key }: StepRow,
  result: StoryboardResult,
): Promise<CompositeAction> {
  await underLease(step, (tx) =>
    updateStep(tx, { taskId: step.lease.taskId, key, from: ['planned', 'running'], to: 'failed', result }),
  );
  return { type: 'again' };
}

async function accept(
  step: CompositeStep,
  { key }: StepRow,
  { plan, problem }: { plan: DramaPlan; problem: string | null },
): Promise<CompositeAction> {
  const { taskId } = step.lease;
  const estimateCredits = await estimate(step, plan);
  await underLease(step, async (tx: Tx) => {
    const result: StoryboardResult = { problem };
    const from = ['planned', 'running'] as const;
    if (!(await updateStep(tx, { taskId, key, from, to: 'done', result }))) return;
    await updateComposite(tx, taskId, { plan, phase: 'review', estimateCredits });
    await appendEvent(tx, taskId, {
      type: 'storyboard_ready',
      actor: 'executor',
      reason: `The storyboard is ready: ${countShots(plan)}.`,
    });
  });
  return { type: 'again' };
}

async function estimate(step: CompositeStep, plan: DramaPlan): Promise<number | null> {
  const settings = settingsOf(step.composite);
  const models = await modelsOrNull(step);
  return models && quotePlan(plan, settings, models).totalCredits;
}

async function longestClip(step: CompositeStep): Promise<number | null> {
  const models = await modelsOrNull(step);
  return models?.clip ? mostSeconds(models.clip.parameters) : null;
}

/** A model that cannot be used any more is the user's to see at the review, where it is refused with its reason. */
async function modelsOrNull({ deps, composite }: CompositeStep) {
  try {
    return await loadDramaModels(deps, settingsOf(composite).models);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Null for a file that is not in storage any more: no further look brings it back. */
async function readAnswer(
  deps: Pick<Deps, 'storage'>,
  storageKey: string,
): Promise<ConversationAnswer | null> {
  const chunks: Buffer[] = [];
  try {
    const { stream } = await deps.storage.open(storageKey);
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  } catch (error) {
    if (error instanceof StorageError && error.reason === 'missing') return null;
    throw error;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.length > MOST_ANSWER_CHARACTERS)
    return { text: '(an answer that was much too long)', toolCalls: [] };
  try {
    const parsed = conversationAnswer.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // It is read as plain text.
  }
  return { text, toolCalls: [] };
}
