import { FILM_LIMITS } from '#server/composition/check-order.ts';
import { composeFilm } from '#server/composition/compose-film.ts';
import type { FilmOrder, FilmPlan, MediaFile } from '#server/composition/film.ts';
import { planFilm } from '#server/composition/plan-film.ts';
import { writeCaptions } from '#server/composition/write-captions.ts';
import { StorageError } from '#server/storage/asset-store.ts';
import { crashPoint } from '#server/testing/crash-points.ts';
import { loadComposite } from '../composite/load-composite.ts';
import { endComposite } from '../composite/settle-composite.ts';
import { plusOne, releaseLease } from '../lease-queries.ts';
import { LOST, type Step, type StepResult, same } from '../step.ts';
import { filmOrder } from './film-order.ts';
import { type Film, keysOf, loadFilm } from './load-film.ts';
import { saveComposeProgress } from './queries.ts';
import { FILM_OUTPUTS, storedOrdinals, storeFilm } from './store-film.ts';
import { withLocalFiles, withWorkDir } from './work-dir.ts';

/** A composition that failed is tried once more: the machine may have been short of something. */
const COMPOSE_TRIES = 2;
const SECOND_TRY_MS = 1_000;
const PROGRESS_EVERY_MS = 1_000;

/**
 * Puts a film together from the parts that are there, stores it and ends its drama. Free, and as often as it takes: what
 * is stored stays, the rest is made again. Without a program for it, or after a second failure, the drama ends with its
 * shots, which can be downloaded and put together later.
 *
 * @throws StorageError for our own storage, which is tried again; the reason of an aborted signal
 */
export async function composeDrama(step: Step): Promise<StepResult> {
  const { deps, lease } = step;
  await crashPoint('compose.before');
  const stored = await storedOrdinals(step);
  if (Object.values(FILM_OUTPUTS).every((ordinal) => stored.has(ordinal))) return succeed(step);
  const film = await loadFilm(deps, await loadComposite(step));
  if (film.shots.length === 0) {
    const detail = 'No finished shot is there any more.';
    return endComposite(step, 'archiving', { type: 'end', to: 'failed', code: 'step_failed', detail });
  }
  try {
    return await withWorkDir(lease, (workDir) =>
      withLocalFiles(deps.storage, keysOf(film), (paths) => {
        const fileOf = ({ storageKey, mime }: { storageKey: string; mime: string }): MediaFile => {
          const path = paths.get(storageKey);
          if (path === undefined) throw new Error('A file of a film was not brought here');
          return { path, mime };
        };
        const order = filmOrder(film, fileOf, film.music && fileOf(film.music));
        return compose(step, film, { order, workDir });
      }),
    );
  } catch (error) {
    step.signal.throwIfAborted();
    if (!(error instanceof StorageError) || error.reason !== 'missing') throw error;
    return tryAgain(step, 'A file of a shot is not in storage any more.');
  }
}

async function compose(
  step: Step,
  film: Film,
  { order, workDir }: { order: FilmOrder; workDir: string },
): Promise<StepResult> {
  const progress = showProgress(step);
  const result = await composeFilm(order, {
    workDir,
    signal: step.signal,
    onProgress: progress.report,
    limits: { filmBytes: Math.min(FILM_LIMITS.filmBytes, step.deps.config.maxOutputBytes) },
  }).finally(progress.end);
  await crashPoint('compose.after-film');
  switch (result.type) {
    case 'made': {
      const problem = await storeFilm(step, [
        { ordinal: FILM_OUTPUTS.film, kind: 'video', source: { path: result.filmPath } },
        { ordinal: FILM_OUTPUTS.poster, kind: 'image', source: { path: result.posterPath } },
        ...captionFiles(result.plan, order),
      ]);
      return problem === null ? succeed(step) : tryAgain(step, problem);
    }
    case 'unavailable': {
      await storeFilm(step, captionFiles(planFilm(order, measuredVoices(film)), order));
      const { message } = result;
      return endComposite(step, 'archiving', {
        type: 'end',
        to: 'failed',
        code: 'no_composer',
        detail: message,
      });
    }
    case 'failed':
      return tryAgain(step, result.message);
  }
}

function captionFiles(plan: FilmPlan, { shots }: FilmOrder) {
  return (['srt', 'vtt'] as const).map((format) => ({
    ordinal: FILM_OUTPUTS[format],
    kind: 'text' as const,
    source: { text: writeCaptions(plan, shots, format) },
  }));
}

const measuredVoices = ({ shots }: Film) =>
  new Map(shots.map(({ id, voice }) => [id, { voiceMs: voice?.durationMs ?? null }]));

const succeed = (step: Step): Promise<StepResult> =>
  endComposite(step, 'archiving', { type: 'end', to: 'succeeded', reason: 'The film is ready.' });

async function tryAgain(step: Step, problem: string): Promise<StepResult> {
  const { deps, lease, claimed } = step;
  if (claimed.task.archiveTries + 1 >= COMPOSE_TRIES) {
    const end = { type: 'end', to: 'failed', code: 'composition_failed', detail: problem } as const;
    return endComposite(step, 'archiving', end);
  }
  deps.logger.warn({ taskId: lease.taskId, problem }, 'A film could not be put together and is tried again');
  const kept = await releaseLease(deps.db, {
    lease,
    nextDelayMs: SECOND_TRY_MS,
    set: { archiveTries: plusOne('archiveTries') as never },
    event: { type: 'compose_delayed', actor: 'executor', reason: `${problem} It is tried once more.` },
  });
  return kept ? same(SECOND_TRY_MS) : LOST;
}

/** Writes how far it is, at most once a second. A write that fails costs nothing but a look at the bar. */
function showProgress({ deps, lease }: Step): { report(percent: number): void; end(): void } {
  let reported = 0;
  let written = 0;
  const timer = setInterval(() => {
    if (reported === written) return;
    written = reported;
    saveComposeProgress(deps.db, { lease, progress: written }).catch(() => undefined);
  }, PROGRESS_EVERY_MS);
  return {
    report: (percent) => {
      reported = Math.floor(percent);
    },
    end: () => clearInterval(timer),
  };
}
