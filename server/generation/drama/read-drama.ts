import { readCredits } from '#server/billing/read-credits.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { type CompositeReading, readCompositeView } from '../composite/read-composite.ts';
import { findModel } from '../model-queries.ts';
import { readTaskViews } from '../read-tasks.ts';
import type { TaskView } from '../schemas.ts';
import { isTerminal } from '../status.ts';
import { isStoryboard, storyboardResult } from './advance-storyboard.ts';
import { endOfPart, planOf, problemOf, settingsOf } from './composite-state.ts';
import { loadDramaModels } from './load-models.ts';
import { newestParts, type PartStep } from './parts.ts';
import { quotePlan } from './quote-plan.ts';
import { refuseProblems } from './refusals.ts';
import type {
  DramaPartView,
  DramaPhase,
  DramaPlan,
  DramaQuoteView,
  DramaSettings,
  DramaView,
} from './schemas.ts';
import { hasFiles } from './zip-drama.ts';

/** A drama as its page shows it. @throws AppError `not_found`, the same for a foreign one as for none */
export async function readDrama(deps: Deps, input: { userId: string; taskId: string }): Promise<DramaView> {
  const reading = await readCompositeView(deps, input);
  const [task] = await readTaskViews(deps, { userId: input.userId, taskIds: [input.taskId] });
  if (task?.kind !== 'drama') throw new AppError('not_found', 'There is no such film.');
  const { composite, steps } = reading;
  const settings = settingsOf(composite);
  const plan = planOf(composite);
  const parts = newestParts(steps);
  const partView = (base: string): DramaPartView | null => {
    const part = parts.get(base);
    return part ? toPartView(part, reading) : null;
  };
  const [modelTitles, quote] = await Promise.all([
    titlesOf(deps, settings.models),
    plan ? quoteOrNull(deps, { userId: input.userId, plan, settings }) : null,
  ]);
  return {
    ...reading.view,
    task,
    phase: task.status === 'succeeded' ? 'done' : (composite.phase as DramaPhase),
    settings,
    modelTitles,
    plan,
    planVersion: composite.planVersion,
    quote,
    storyboard: toStoryboardView(reading),
    characters: Object.fromEntries(
      [...parts.values()]
        .filter(({ name }) => name === 'character')
        .map((part) => [part.ownerId, toPartView(part, reading)]),
    ),
    shots: (plan?.shots ?? []).map(({ id }) => ({
      id,
      picture: partView(`shot:${id}:picture`),
      clip: partView(`shot:${id}:clip`),
      voice: partView(`shot:${id}:voice`),
    })),
    film: toFilmView(task),
    zipUrl: hasFiles(reading) ? `/files/dramas/${task.id}/shots.zip` : null,
    composeProblem: composeProblem(task),
  };
}

function toPartView(part: PartStep, { task, children, childOf }: CompositeReading): DramaPartView {
  const { step } = part;
  // A cancel ends a film without a look at its steps.
  const end = step.status === 'running' && isTerminal(task.status) ? endOfPart(part, children) : null;
  const ended = end?.delivered ? 'done' : 'failed';
  return {
    key: step.key,
    status: end ? ended : step.status,
    takenOver: step.input.takenOver === true,
    problem: end && !end.delivered ? end.problem : problemOf(step),
    child: childOf(step),
  };
}

function toStoryboardView({ steps, childOf }: CompositeReading): DramaView['storyboard'] {
  const tries = steps.filter(isStoryboard);
  const last = tries.at(-1);
  if (!last) return { tries: 0, problem: null, child: null };
  const { problem, notStarted } = storyboardResult(last);
  return { tries: tries.length, problem: problem ?? notStarted ?? null, child: childOf(last) };
}

function toFilmView({ outputs }: TaskView): DramaView['film'] {
  const at = (ordinal: number) =>
    outputs.find((output) => output.ordinal === ordinal && output.removedAt === null);
  const video = at(0);
  if (!video) return null;
  const [srt, vtt] = [at(2), at(3)];
  return {
    videoUrl: video.url,
    posterUrl: at(1)?.url ?? null,
    seconds: (video.durationMs ?? 0) / 1_000,
    captions: srt && vtt ? { srtUrl: srt.url, vttUrl: vtt.url } : null,
  };
}

const COMPOSE_CODES = ['no_composer', 'composition_failed', 'storage'];

function composeProblem({ failure }: TaskView): string | null {
  return failure && COMPOSE_CODES.includes(failure.code) ? failure.message : null;
}

async function titlesOf(
  deps: Pick<Deps, 'db'>,
  models: DramaSettings['models'],
): Promise<DramaView['modelTitles']> {
  const title = async (slug: string) => (await findModel(deps.db, slug))?.model.title ?? slug;
  const [storyboard, picture, clip, voice] = await Promise.all([
    title(models.storyboard),
    title(models.picture),
    models.clip === undefined ? null : title(models.clip),
    models.voice === undefined ? null : title(models.voice),
  ]);
  return { storyboard, picture, clip, voice };
}

/** A film is shown also when it has no price: a model cannot be used any more, or a shot cannot be made as planned. */
async function quoteOrNull(
  deps: Deps,
  input: { userId: string; plan: DramaPlan; settings: DramaSettings },
): Promise<DramaQuoteView | null> {
  try {
    return await readQuote(deps, input);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** @throws AppError `not_found`, `bad_request` for models that cannot be used, `unprocessable` for a plan that cannot be made */
export async function readQuote(
  deps: Deps,
  input: { userId: string; plan: DramaPlan; settings: Pick<DramaSettings, 'models' | 'ratio' | 'titleCard'> },
): Promise<DramaQuoteView> {
  const [models, { balanceCredits }] = await Promise.all([
    loadDramaModels(deps, input.settings.models),
    readCredits(deps, input.userId),
  ]);
  const quote = quotePlan(input.plan, input.settings, models);
  refuseProblems(quote.problems);
  const { shots, characterCredits, totalCredits, seconds } = quote;
  return {
    shots,
    characterCredits,
    totalCredits,
    balanceCredits,
    affordable: balanceCredits >= totalCredits,
    seconds,
  };
}
