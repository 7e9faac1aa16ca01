import { z } from 'zod';
import type { CreateRequest, FileQuery, ReferenceFile } from './provider.ts';
import { isImage, toDataUri, wireParams } from './request-params.ts';

/**
 * Hosts of other people's models (Replicate, fal) pass an input object on to a model, and each model names its inputs
 * as its author liked. What is here are the usual names, those of well-known models, and whatever an administrator
 * writes into the channel's settings: `{ "inputs": { "owner/model": { "prompt": "text", … } } }`.
 */

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,60}$/);
const inputNames = z.strictObject({
  prompt: name.optional(),
  /** One reference file. */
  reference: name.optional(),
  /** A list of reference files; used for all of them when it is given. */
  references: name.optional(),
  first_frame: name.optional(),
  last_frame: name.optional(),
  n: name.optional(),
  seconds: name.optional(),
  /** How the length is written: 5, "5" or "5s". */
  secondsAs: z.enum(['number', 'text', 'suffixed']).optional(),
});
export type InputNames = z.infer<typeof inputNames>;

/** Input names by model, as an administrator writes them into a channel's settings. */
export const inputsSetting = z.record(z.string().max(200), inputNames);

/** What a call reads of the settings; those that cannot be read name nothing. */
const settingsSchema = z.looseObject({ inputs: inputsSetting });

/** Names for a model: those of the settings before those of the table (the first match), before the host's own. */
export function inputNamesOf(
  model: string,
  settings: unknown,
  host: { usual: InputNames; known: readonly (readonly [RegExp, InputNames])[] },
): InputNames {
  const own = settingsSchema.safeParse(settings).data?.inputs ?? {};
  const known = host.known.find(([pattern]) => pattern.test(model))?.[1];
  return { ...host.usual, ...known, ...(Object.hasOwn(own, model) ? own[model] : {}) };
}

/** Parameter names of our forms that mean the same everywhere. */
const RENAMED: Readonly<Record<string, string>> = { ratio: 'aspect_ratio', format: 'output_format' };

/** The input object: prompt, parameters under the model's names, files as data URIs. */
export async function hostedInput(
  request: CreateRequest,
  names: InputNames,
): Promise<Record<string, unknown>> {
  const { n, seconds, ...params } = wireParams(request.params);
  const input: Record<string, unknown> = { [names.prompt ?? 'prompt']: request.prompt };
  for (const [name, value] of Object.entries(params)) input[RENAMED[name] ?? name] = value;
  if (n !== undefined && names.n) input[names.n] = Number(n);
  if (seconds !== undefined) input[names.seconds ?? 'duration'] = lengthOf(seconds, names.secondsAs);
  for (const [name, files] of groupFiles(request.references, names)) {
    const uris = await Promise.all(files.map(toDataUri));
    input[name] = name === names.references ? uris : uris[0];
  }
  return input;
}

function lengthOf(seconds: unknown, as: InputNames['secondsAs']): unknown {
  if (as === 'text') return String(seconds);
  return as === 'suffixed' ? `${String(seconds)}s` : Number(seconds);
}

/** The names under which files are sent; a file that has none is left out here and refused by {@link misfits}. */
function groupFiles(references: readonly ReferenceFile[], names: InputNames): Map<string, ReferenceFile[]> {
  const groups = new Map<string, ReferenceFile[]>();
  for (const file of references) {
    const name = nameOf(file, names);
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return groups;
}

/** Files that no input of the model takes, that are no image where one is wanted, or that would have to share an input for a single file. */
export function misfits(references: readonly ReferenceFile[], names: InputNames): ReferenceFile[] {
  const taken = new Set<string>();
  return references.filter((file) => {
    const name = nameOf(file, names);
    if (name === undefined || (name !== names.references && taken.has(name))) return true;
    if (/image|frame/.test(name) && !isImage(file)) return true;
    taken.add(name);
    return false;
  });
}

/** Whether an input is known to take such a file: one for sound or video says so in its name. */
export function takesHostedFile({ role, mime }: FileQuery, names: InputNames): boolean {
  const name = nameOf({ role }, names);
  if (name === undefined) return false;
  const media = /audio|video/.exec(name)?.[0] ?? 'image';
  return mime.startsWith(`${media}/`);
}

function nameOf(file: Pick<ReferenceFile, 'role'>, names: InputNames): string | undefined {
  if (file.role === 'reference') return names.references ?? names.reference;
  return file.role === 'first_frame' ? names.first_frame : names.last_frame;
}
