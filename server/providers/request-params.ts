import type { CreateOutcome, CreateRequest, ReferenceFile } from './provider.ts';

/** Parameters that the wire wants as numbers although a form offers them as a choice of texts. */
const NUMERIC = new Set([
  'speed',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'output_compression',
  'n',
  'seed',
]);

/** The validated parameters as JSON values, without empty ones and without those named. */
export function wireParams(
  params: Record<string, unknown>,
  without: readonly string[] = [],
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === null || value === '' || without.includes(name)) continue;
    out[name] =
      NUMERIC.has(name) && typeof value === 'string' && Number.isFinite(Number(value))
        ? Number(value)
        : value;
  }
  return out;
}

/**
 * The validated parameters under a vendor's own names, as numbers or texts where its wire insists on them: a form
 * offers lengths and scales as a choice of texts.
 */
export function translateParams(
  params: Record<string, unknown>,
  rules: {
    rename?: Readonly<Record<string, string>>;
    numbers?: readonly string[];
    texts?: readonly string[];
  },
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wireParams(params))) {
    const wireName = rules.rename && Object.hasOwn(rules.rename, name) ? (rules.rename[name] ?? name) : name;
    if (rules.numbers?.includes(wireName) && typeof value === 'string' && Number.isFinite(Number(value))) {
      out[wireName] = Number(value);
    } else out[wireName] = rules.texts?.includes(wireName) ? String(value) : value;
  }
  return out;
}

/** Parameters and files as a multipart form; values other than text are written as JSON. */
export async function toForm(
  fields: Record<string, unknown>,
  files: readonly { name: string; file: ReferenceFile }[],
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const { name, file } of files) {
    const bytes = await file.read();
    form.append(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: file.mime }), file.fileName);
  }
  return form;
}

/** A data URI of a reference, for endpoints that take files inside JSON. */
export async function toDataUri(file: ReferenceFile): Promise<string> {
  return `data:${file.mime};base64,${await toBase64(file)}`;
}

/** A reference as bare base64, for endpoints that name its type in a field of its own. */
export async function toBase64(file: ReferenceFile): Promise<string> {
  return Buffer.from(await file.read()).toString('base64');
}

/** Refuses a second first or last frame, before anything is sent: an endpoint would take one and drop the other. */
export function refuseRepeatedFrames(request: CreateRequest): CreateOutcome | undefined {
  for (const role of ['first_frame', 'last_frame'] as const) {
    if (request.references.filter((file) => file.role === role).length < 2) continue;
    const message = `This model takes one ${role === 'first_frame' ? 'first' : 'last'} frame. Remove the other files.`;
    return { type: 'rejected', code: 'unsupported_reference', message };
  }
  return undefined;
}

/** Refuses files that the endpoint cannot take, before anything is sent. */
export function refuseReferences(
  request: CreateRequest,
  accepts: (file: ReferenceFile) => boolean,
): CreateOutcome | undefined {
  const bad = request.references.find((file) => !accepts(file));
  if (!bad) return undefined;
  return {
    type: 'rejected',
    code: 'unsupported_reference',
    message: `This model cannot use the file "${bad.fileName}" (${bad.mime}).`,
  };
}

export const isImage = (file: Pick<ReferenceFile, 'mime'>): boolean => file.mime.startsWith('image/');
