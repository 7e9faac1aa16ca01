import { AppError } from '#server/lib/app-error.ts';
import { importOutput } from '#server/storage/import-output.ts';
import { updateComposite, updateStep } from '../composite/queries.ts';
import { type ChildStart, CompositeLost, startChild, underLease } from '../composite/start-child.ts';
import type { CompositeAction, CompositeStep } from '../composite/step.ts';
import { endOfPart, outputOf, planOf, settingsOf } from './composite-state.ts';
import { decideShots, type PartChange } from './decide-next.ts';
import { loadDramaModels } from './load-models.ts';
import { type DramaModels, orderPart } from './order-part.ts';
import { charactersOf } from './part-prompts.ts';
import { hasEnded, newestParts, type PartStep } from './parts.ts';
import type { DramaPlan } from './schemas.ts';

/** Makes the parts of a film, side by side; what was decided is in `decide-next.ts`. */
export async function advanceShots(step: CompositeStep): Promise<CompositeAction> {
  const plan = planOf(step.composite);
  if (!plan) throw new Error('A drama makes shots without a plan');
  const parts = newestParts(step.steps);
  const progress = progressOf(parts);
  const decision = decideShots({
    plan,
    parts,
    endOf: (part) => endOfPart(part, step.children),
    caps: step.deps.config.composites.childrenAtOnce,
  });
  switch (decision.type) {
    case 'record':
      await record(step, decision.changes);
      return { type: 'again', progress };
    case 'start': {
      const refused = await startParts(step, { plan, parts, starts: decision.parts });
      if (refused.length === 0) return { type: 'wait', for: 'children', progress };
      await record(step, refused);
      return { type: 'again', progress };
    }
    case 'wait':
      return { type: 'wait', for: 'children', progress };
    case 'failed_parts':
      await enter(step, 'failed_parts');
      return { type: 'wait', for: 'user', progress };
    case 'compose':
      await enter(step, 'composing');
      return { type: 'again', progress };
  }
}

function progressOf(parts: ReadonlyMap<string, PartStep>): number {
  const all = [...parts.values()];
  return all.length === 0 ? 0 : Math.floor((all.filter(hasEnded).length / all.length) * 100);
}

async function record(step: CompositeStep, changes: readonly PartChange[]): Promise<void> {
  await underLease(step, async (tx) => {
    for (const { key, to, problem } of changes) {
      await updateStep(tx, {
        taskId: step.lease.taskId,
        key,
        from: ['planned', 'running'],
        to,
        result: problem === undefined ? undefined : { problem },
      });
    }
  });
}

async function enter(step: CompositeStep, phase: 'failed_parts' | 'composing'): Promise<void> {
  await underLease(step, (tx) => updateComposite(tx, step.lease.taskId, { phase }));
}

type Film = { plan: DramaPlan; parts: ReadonlyMap<string, PartStep> };

/** @returns parts that could not be started, with the reason */
async function startParts(
  step: CompositeStep,
  { plan, parts, starts }: Film & { starts: readonly PartStep[] },
): Promise<PartChange[]> {
  const models = await modelsOrReason(step);
  const refused: PartChange[] = [];
  for (const part of starts) {
    const problem =
      typeof models === 'string' ? models : await startPart(step, part, { plan, parts, models });
    if (problem !== null) refused.push({ key: part.step.key, to: 'failed', problem });
  }
  return refused;
}

async function modelsOrReason({ deps, composite }: CompositeStep): Promise<DramaModels | string> {
  try {
    return await loadDramaModels(deps, settingsOf(composite).models);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** @returns why it could not be started; null when it was */
async function startPart(
  step: CompositeStep,
  part: PartStep,
  film: Film & { models: DramaModels },
): Promise<string | null> {
  const { ratio } = settingsOf(step.composite);
  const order = orderPart(part, { plan: film.plan, ratio, models: film.models });
  if ('problem' in order) return order.problem;
  const references = await referencesOf(step, part, film);
  if (typeof references === 'string') return references;
  const { kind, model, prompt, params } = order;
  return problemOfStart(
    await startChild(step, {
      stepKey: part.step.key,
      paidBy: 'parent',
      order: { kind, model, prompt, params, references },
    }),
  );
}

function problemOfStart(started: ChildStart): string | null {
  switch (started.type) {
    case 'started':
    case 'not_planned':
      return null;
    case 'lost':
      throw new CompositeLost();
    case 'refused':
      return started.message;
    case 'over_budget':
      return `It costs ${started.neededCredits} credits now, more than is left of the budget.`;
  }
}

/** Upload ids that go with a part, or why there can be none: its own picture, or characters before style. */
async function referencesOf(
  step: CompositeStep,
  part: PartStep,
  { plan, parts, models }: Film & { models: DramaModels },
): Promise<string[] | string> {
  if (part.name === 'voice') return [];
  if (part.name === 'clip') {
    const picture = parts.get(`shot:${part.ownerId}:picture`);
    const imported = picture ? await importPart(step, picture) : GONE;
    return 'problem' in imported ? imported.problem : [imported.uploadId];
  }
  const most = models.picture.maxReferences;
  const shot = plan.shots.find(({ id }) => id === part.ownerId);
  const characters = part.name === 'picture' && shot ? charactersOf(plan, shot) : [];
  const references: string[] = [];
  for (const { id } of characters.slice(0, most)) {
    const character = parts.get(`character:${id}`);
    const imported = character?.step.status === 'done' ? await importPart(step, character) : GONE;
    if ('uploadId' in imported) references.push(imported.uploadId);
  }
  return [...references, ...settingsOf(step.composite).references].slice(0, most);
}

type Imported = { uploadId: string } | { problem: string };
const GONE: Imported = { problem: 'The picture of this shot is not there any more.' };

async function importPart(step: CompositeStep, part: PartStep): Promise<Imported> {
  const output = outputOf(part, step.children);
  if (!output) return GONE;
  try {
    const input = { userId: step.claimed.task.userId, outputId: output.id };
    return { uploadId: await importOutput(step.deps, input) };
  } catch (error) {
    if (error instanceof AppError && error.code !== 'unavailable') return { problem: error.message };
    throw error;
  }
}
