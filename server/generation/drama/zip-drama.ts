import type { Readable } from 'node:stream';
import { type ZipEntry, zipFiles } from '#server/composition/zip-files.ts';
import type { Deps } from '#server/deps.ts';
import { AppError } from '#server/lib/app-error.ts';
import { extensionOf } from '#server/storage/sniff.ts';
import type { OutputRow } from '../composite/queries.ts';
import { type CompositeReading, readCompositeView } from '../composite/read-composite.ts';
import { listOutputs } from '../output-queries.ts';
import { deliveredOf, planOf, settingsOf } from './composite-state.ts';
import { newestParts, type PartStep } from './parts.ts';
import { FILM_OUTPUTS } from './store-film.ts';

type Rows = Pick<CompositeReading, 'composite' | 'steps' | 'children'>;
type ZipFile = { name: string; output: OutputRow; details: Record<string, unknown> };

/** What was thrown away goes into no archive. */
function keptOf(part: PartStep, children: Rows['children']): OutputRow | undefined {
  const output = deliveredOf(part, children);
  return output?.trashedAt === null ? output : undefined;
}

/** Whether there is something to download. */
export const hasFiles = ({ steps, children }: Pick<Rows, 'steps' | 'children'>): boolean =>
  [...newestParts(steps).values()].some((part) => keptOf(part, children) !== undefined);

/**
 * Everything that was made of a film, with a manifest: for those who cut it themselves, and for films that could not be put
 * together. A stream; files are read one after the other when their turn comes.
 *
 * @throws AppError `not_found` for a film of somebody else, and while there is nothing
 */
export async function zipDrama(
  deps: Pick<Deps, 'db' | 'storage'>,
  input: { userId: string; taskId: string },
): Promise<{ fileName: string; stream: Readable }> {
  const reading = await readCompositeView(deps, input);
  if (reading.task.kind !== 'drama') throw new AppError('not_found', 'There is no such film.');
  const parts = partFiles(reading);
  if (parts.length === 0) throw new AppError('not_found', 'No shot of this film is finished yet.');
  const files = [...parts, ...filmFiles(await listOutputs(deps.db, input.taskId))];
  const manifest = JSON.stringify(manifestOf(reading, files), null, 2);
  const entries: ZipEntry[] = files.map(({ name, output }) => ({
    name,
    source: async () => (await deps.storage.open(output.storageKey)).stream,
    mtime: output.createdAt,
  }));
  return {
    fileName: `sidelane-film-${input.taskId.slice(-8)}-shots.zip`,
    stream: zipFiles([...entries, { name: 'manifest.json', source: { text: manifest } }]),
  };
}

function partFiles({ composite, steps, children }: Rows): ZipFile[] {
  const shots = planOf(composite)?.shots ?? [];
  const numbers = new Map(shots.map(({ id }, index) => [id, String(index + 1).padStart(2, '0')]));
  return [...newestParts(steps).values()]
    .flatMap((part): ZipFile[] => {
      const output = keptOf(part, children);
      const stem = stemOf(part, numbers);
      if (!output || stem === undefined) return [];
      const child = part.step.childTaskId === null ? undefined : children.get(part.step.childTaskId);
      const details = { part: part.name, of: part.ownerId, prompt: child?.prompt, model: child?.modelTitle };
      return [{ name: `${stem}.${extensionOf(output.mime)}`, output, details }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function stemOf({ name, ownerId }: PartStep, numbers: ReadonlyMap<string, string>): string | undefined {
  if (name === 'character') return `characters/${ownerId}`;
  const number = numbers.get(ownerId);
  return number && `shots/${number}-${name}`;
}

const NAMES = { film: 'film', poster: 'poster', srt: 'captions', vtt: 'captions' } as const;

function filmFiles(outputs: readonly OutputRow[]): ZipFile[] {
  return (['film', 'poster', 'srt', 'vtt'] as const).flatMap((part) => {
    const output = outputs.find(
      (each) => each.ordinal === FILM_OUTPUTS[part] && !each.removedAt && !each.trashedAt,
    );
    if (!output) return [];
    const extension = output.kind === 'text' ? part : extensionOf(output.mime);
    return [{ name: `${NAMES[part]}.${extension}`, output, details: { part } }];
  });
}

/** No storage keys, and no ids of any upstream: what is said here, the user may pass on. */
function manifestOf({ composite }: Rows, files: readonly ZipFile[]): Record<string, unknown> {
  const { models, ratio, captions, titleCard, source } = settingsOf(composite);
  return {
    film: planOf(composite)?.title,
    order: { source, models, ratio, captions, titleCard },
    plan: planOf(composite),
    files: files.map(({ name, output, details }) => ({
      name,
      ...details,
      mime: output.mime,
      bytes: output.bytes,
      sha256: output.sha256,
      width: output.width,
      height: output.height,
      seconds: output.durationMs === null ? null : output.durationMs / 1_000,
    })),
  };
}
