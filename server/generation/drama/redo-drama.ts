import type { Tx } from '#server/db/client.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { insertStep } from '../composite/queries.ts';
import { type CompositeReading, readCompositeView } from '../composite/read-composite.ts';
import { submitComposite } from '../composite/submit-composite.ts';
import type { Submitted } from '../request-key.ts';
import { isTerminal } from '../status.ts';
import { deliveredOf, planOf, problemOf, settingsOf } from './composite-state.ts';
import { findEarlier } from './find-earlier.ts';
import { loadDramaModels } from './load-models.ts';
import { type DramaModels, orderPart } from './order-part.ts';
import { newestParts, type PartStep, partsOfShot, shotPart, stepKey } from './parts.ts';
import { describePart, type PricedPart } from './quote-plan.ts';
import { refuseDearer, refuseProblems } from './refusals.ts';
import { type DramaPlan, type DramaRedoInput, type DramaSettings, dramaPlan } from './schemas.ts';

type Redo = DramaRedoInput['redo'];

/**
 * Makes a new revision of a film that has ended, whatever its end: finished parts are taken over as they are, only those
 * that are named are made and charged, and the film is put together again, free. The revision before stays as it is.
 *
 * @throws AppError `not_found`, `conflict` while it has not ended, `bad_request` for a part that cannot be made,
 * `unprocessable` when it is dearer than quoted, `insufficient_credits`
 */
export async function redoDrama(deps: Deps, input: DramaRedoInput & { userId: string }): Promise<Submitted> {
  const { userId, requestKey, quotedCredits, ...body } = input;
  const earlier = await findEarlier(deps, { userId, requestKey, body });
  if (earlier) return earlier;
  const source = await readCompositeView(deps, { userId, taskId: input.taskId });
  const before = planOf(source.composite);
  if (source.task.kind !== 'drama') throw new AppError('not_found', 'There is no such film.');
  if (!isTerminal(source.task.status)) {
    throw new AppError('conflict', 'This film is still being made. Redo is for films that have ended.');
  }
  if (!before) throw new AppError('conflict', 'This film ended before it had a storyboard. Order it anew.');
  const old = settingsOf(source.composite);
  const settings: DramaSettings = { ...old, captions: input.captions ?? old.captions };
  const plan = withWords(before, input.redo);
  const models = input.redo.length > 0 ? await loadDramaModels(deps, settings.models) : null;
  const named = models ? priceNamed(input.redo, { plan, settings, models }) : [];
  refuseIncomplete(named, { source, plan, clips: settings.models.clip !== undefined });
  const credits = named.reduce((sum, part) => sum + part.credits, 0);
  refuseDearer(credits, quotedCredits);
  if (named.length === 0 && !hasUsable(source)) {
    throw new AppError('bad_request', 'No shot of this film is finished. Name the parts to make.');
  }
  return submitComposite(deps, {
    kind: 'drama',
    userId,
    requestKey,
    body,
    model: settings.models.storyboard,
    prompt: plan.title,
    references: [...settings.references, ...(settings.music === undefined ? [] : [settings.music])],
    phase: 'shots',
    settings,
    plan,
    // Nothing is made, so nothing is held.
    budgetCredits: named.length === 0 ? null : credits,
    estimateCredits: credits,
    revision: { of: source.task.id, rootId: source.composite.rootId },
    record: (tx, taskId) => recordParts(tx, { taskId, source, named }),
  });
}

const WORDS = { picture: 'picturePrompt', clip: 'motionPrompt', voice: 'narration' } as const;

/** The plan with the new words in it, checked as a whole. @throws AppError `bad_request` */
function withWords(plan: DramaPlan, redo: Redo): DramaPlan {
  const shots = plan.shots.map((shot) => {
    const words = redo.flatMap((each) =>
      each.shotId === shot.id && each.words !== undefined ? [[WORDS[each.part], each.words]] : [],
    );
    return { ...shot, ...Object.fromEntries(words) };
  });
  const checked = dramaPlan.safeParse({ ...plan, shots });
  if (checked.success) return checked.data;
  throw new AppError('bad_request', checked.error.issues[0]?.message ?? 'These words cannot be used.');
}

/** @throws AppError `bad_request` for a part that there is not, `unprocessable` for one that cannot be ordered */
function priceNamed(
  redo: Redo,
  film: { plan: DramaPlan; settings: DramaSettings; models: DramaModels },
): PricedPart[] {
  const { plan, settings, models } = film;
  const makes = { characters: false, clips: models.clip !== null, voices: models.voice !== null };
  const problems: string[] = [];
  const named = new Map<string, PricedPart>();
  for (const { shotId, part: name } of redo) {
    const shot = plan.shots.find(({ id }) => id === shotId);
    const part = shotPart(shotId, name);
    if (!shot || !partsOfShot(shot, makes).some(({ base }) => base === part.base)) {
      throw new AppError(
        'bad_request',
        shot
          ? `Shot ${plan.shots.indexOf(shot) + 1} has no ${name}: no model was chosen for it, or there are no words.`
          : `There is no shot "${shotId}".`,
        { field: 'redo' },
      );
    }
    const order = orderPart(part, { plan, ratio: settings.ratio, models });
    if ('problem' in order) problems.push(`${describePart(part, plan)}: ${order.problem}`);
    else named.set(part.base, { ...part, credits: order.credits });
  }
  refuseProblems(problems);
  return [...named.values()];
}

/** A finished part whose file is still there, and was not thrown away. */
function isKept(part: PartStep | undefined, { children }: CompositeReading): part is PartStep {
  return part !== undefined && deliveredOf(part, children)?.trashedAt === null;
}

/**
 * A shot that would not be shown is not charged for: it needs its picture and, in a film of clips, its clip.
 *
 * @throws AppError `bad_request` that names what is missing
 */
function refuseIncomplete(
  named: readonly PricedPart[],
  film: { source: CompositeReading; plan: DramaPlan; clips: boolean },
): void {
  const newest = newestParts(film.source.steps);
  const bases = new Set(named.map(({ base }) => base));
  for (const part of named) {
    const missing = (film.clips ? (['picture', 'clip'] as const) : (['picture'] as const)).find((name) => {
      const { base } = shotPart(part.ownerId, name);
      return !bases.has(base) && !isKept(newest.get(base), film.source);
    });
    if (missing === undefined) continue;
    const message = `${describePart(part, film.plan)}: its ${missing} is missing. Make that too.`;
    throw new AppError('bad_request', message, { field: 'redo' });
  }
}

function hasUsable(source: CompositeReading): boolean {
  const visual = settingsOf(source.composite).models.clip === undefined ? 'picture' : 'clip';
  return [...newestParts(source.steps).values()].some((part) => part.name === visual && isKept(part, source));
}

/** What is finished is taken over with its old child, what is named is planned; the rest stays out, as it was. */
async function recordParts(
  tx: Tx,
  input: { taskId: string; source: CompositeReading; named: readonly PricedPart[] },
): Promise<void> {
  const { taskId, source, named } = input;
  const planned = new Map(named.map((part) => [part.base, part]));
  for (const part of newestParts(source.steps).values()) {
    if (planned.has(part.base)) continue;
    const key = stepKey(part.base, 1);
    const takenOver = { credits: 0, takenOver: true };
    if (isKept(part, source) && part.step.childTaskId !== null) {
      const { childTaskId } = part.step;
      await insertStep(tx, { taskId, key, kind: part.name, status: 'done', childTaskId, input: takenOver });
      continue;
    }
    const problem =
      problemOf(part.step) ?? 'It was not finished in the version before, or its file was removed.';
    await insertStep(tx, {
      taskId,
      key,
      kind: part.name,
      status: 'skipped',
      input: takenOver,
      result: { problem },
    });
  }
  for (const { base, name, credits } of named) {
    await insertStep(tx, { taskId, key: stepKey(base, 1), kind: name, input: { credits } });
  }
}
