import type {
  CallContext,
  CreateOutcome,
  CreateRequest,
  FileQuery,
  ReferenceFile,
  UpstreamRequest,
} from '../provider.ts';
import { refuseReferences, toDataUri, toForm, wireParams } from '../request-params.ts';
import { renderPath, renderTemplate, type TemplateScope } from './render-template.ts';
import { type CustomSettings, customSettings } from './schemas.ts';
import { placeholdersIn } from './template/schemas.ts';

/** Answers that carry base64 are as large as those of a create. */
const MAX_INLINE_ANSWER_BYTES = 256_000_000;

/** The channel's description; undefined when it is missing or was broken by hand. */
export function readSettings(settings: unknown): CustomSettings | undefined {
  return customSettings.safeParse(settings).data;
}

export const BROKEN_DESCRIPTION =
  'The description of this channel cannot be read. Correct it under Admin → Channels, on the page of the custom protocol.';

/** Headers that carry the key; none when it goes into the address. */
export function credentialHeaders(settings: CustomSettings, apiKey: string): Record<string, string> {
  const { auth } = settings;
  if (apiKey === '') return {};
  if (auth.style === 'bearer') return { authorization: `Bearer ${apiKey}` };
  if (auth.style !== 'header') return {};
  const { prefix } = auth;
  const joint = prefix === '' || /[=:]$/.test(prefix) ? '' : ' ';
  return { [auth.name.toLowerCase()]: `${prefix}${joint}${apiKey}` };
}

type Call = Pick<UpstreamRequest, 'url' | 'headers' | 'query' | 'maxBytes'>;
type CreateCall = Call & Pick<UpstreamRequest, 'json' | 'form'> & { method: 'POST' | 'PUT' };
type PollCall = Call & Pick<UpstreamRequest, 'json'> & { method: 'GET' | 'POST' };

/** What every request of a description has: its fixed headers, and the key where it goes into the address. */
function commonParts(settings: CustomSettings, ctx: CallContext): Pick<Call, 'headers' | 'query'> {
  const { auth } = settings;
  return {
    headers: Object.fromEntries(settings.headers.map(({ name, value }) => [name.toLowerCase(), value])),
    ...(auth.style === 'query' && ctx.apiKey !== '' ? { query: { [auth.name]: ctx.apiKey } } : {}),
  };
}

/** The request of a create, or the outcome that says why it cannot be made; nothing has been sent by then. */
export async function createCall(
  settings: CustomSettings,
  request: CreateRequest,
  ctx: CallContext,
): Promise<{ call: CreateCall } | { outcome: CreateOutcome }> {
  const { create } = settings;
  const used = new Set(placeholdersIn(create.template).map(({ name }) => name));
  const refusal = refuseReferences(request, (file) => hasPlace(file, request.references, used));
  if (refusal) return { outcome: refusal };

  const url = renderPath(create.path, { model: request.model, ref: ctx.clientRef });
  if (url === undefined) return unusable('The name of the model cannot be part of an address.');
  const rendered = renderTemplate(create.template, await scopeOf({ settings, request, ctx, used }));
  if (!rendered.ok) return unusable(rendered.problem);
  const common = { method: create.method, url, ...commonParts(settings, ctx) };
  const { value } = rendered;
  switch (create.body) {
    case 'json':
      return { call: { ...common, json: value } };
    case 'query':
      return { call: { ...common, query: { ...queryOf(value), ...common.query } } };
    case 'form':
      return { call: { ...common, form: await formOf(value) } };
  }
}

function unusable(message: string): { outcome: CreateOutcome } {
  return { outcome: { type: 'rejected', code: 'unsupported_parameter', message } };
}

/** A file without a place in the template would be lost, and paid for all the same. */
function hasPlace(file: ReferenceFile, all: readonly ReferenceFile[], used: ReadonlySet<string>): boolean {
  if (file.role === 'first_frame') return used.has('firstFrame') && !hasEarlierOfRole(file, all);
  if (file.role === 'last_frame') return used.has('lastFrame') && !hasEarlierOfRole(file, all);
  const place = all.filter(({ role }) => role === 'reference').indexOf(file);
  return used.has('references') || used.has(`references.${place}`);
}

/** Whether the template has a place for the first such file; what its upstream makes of sound and video nobody knows. */
export function takesFile({ role, mime, settings }: FileQuery): boolean {
  const template = readSettings(settings)?.create.template;
  if (template === undefined || !mime.startsWith('image/')) return false;
  const used = new Set(placeholdersIn(template).map(({ name }) => name));
  if (role === 'reference') return used.has('references') || used.has('references.0');
  return used.has(role === 'first_frame' ? 'firstFrame' : 'lastFrame');
}

const hasEarlierOfRole = (file: ReferenceFile, all: readonly ReferenceFile[]): boolean =>
  all.find(({ role }) => role === file.role) !== file;

type ScopeInput = {
  settings: CustomSettings;
  request: CreateRequest;
  ctx: CallContext;
  used: ReadonlySet<string>;
};

/** Values by placeholder. Only files that the template names are read. */
async function scopeOf({ settings, request, ctx, used }: ScopeInput): Promise<TemplateScope> {
  const { media } = settings.create;
  const scope = new Map<string, unknown>([
    ['prompt', request.prompt],
    ['model', request.model],
    ['kind', request.kind],
    ['ref', ctx.clientRef],
    ['webhookUrl', ctx.webhookUrl],
  ]);
  for (const [name, value] of Object.entries(wireParams(request.params))) scope.set(`params.${name}`, value);
  const write = (file: ReferenceFile | undefined) => file && writeFile(file, media);
  const ofRole = (role: ReferenceFile['role']) => request.references.filter((file) => file.role === role);
  if (used.has('firstFrame')) scope.set('firstFrame', await write(ofRole('first_frame')[0]));
  if (used.has('lastFrame')) scope.set('lastFrame', await write(ofRole('last_frame')[0]));
  if ([...used].some((name) => name.startsWith('references'))) {
    const written: unknown[] = [];
    for (const file of ofRole('reference')) written.push(await write(file));
    scope.set('references', written);
    for (const [index, value] of written.entries()) scope.set(`references.${index}`, value);
  }
  return scope;
}

/** A file that goes into a form as it is. */
class FormFile {
  readonly file: ReferenceFile;
  constructor(file: ReferenceFile) {
    this.file = file;
  }
}

async function writeFile(
  file: ReferenceFile,
  media: CustomSettings['create']['media'],
): Promise<string | FormFile> {
  if (media === 'file') return new FormFile(file);
  if (media === 'data_uri') return toDataUri(file);
  return Buffer.from(await file.read()).toString('base64');
}

/** Addresses hold text; anything else is written as JSON. */
function queryOf(value: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' ? item : JSON.stringify(item),
    ]),
  );
}

async function formOf(value: Record<string, unknown>): Promise<FormData> {
  const texts: [string, unknown][] = [];
  const files: { name: string; file: ReferenceFile }[] = [];
  for (const [name, item] of Object.entries(value)) {
    const items = Array.isArray(item) ? item : [item];
    const attached = items.filter((one) => one instanceof FormFile);
    if (attached.length === 0) texts.push([name, item]);
    files.push(...attached.map(({ file }) => ({ name, file })));
  }
  return toForm(Object.fromEntries(texts), files);
}

/** A request of a job by its id; undefined when the id cannot be in an address. */
export function jobCall(
  settings: CustomSettings,
  path: string,
  id: string,
  ctx: CallContext,
): Call | undefined {
  const url = renderPath(path, { id });
  if (url === undefined) return undefined;
  const isInline = settings.fields.encoding !== 'url';
  return {
    url,
    ...commonParts(settings, ctx),
    ...(isInline ? { maxBytes: MAX_INLINE_ANSWER_BYTES } : {}),
  };
}

/** The request of a poll; by POST it has a body. */
export function pollCall(settings: CustomSettings, id: string, ctx: CallContext): PollCall | undefined {
  const { poll } = settings;
  const call = poll && jobCall(settings, poll.path, id, ctx);
  if (!call) return undefined;
  if (poll.method === 'GET') return { ...call, method: 'GET' };
  const rendered = renderTemplate(poll.template ?? '{}', new Map([['id', id]]));
  return rendered.ok ? { ...call, method: 'POST', json: rendered.value } : undefined;
}

/** A request without a job: the free call and the look-up. */
export function plainCall(
  settings: CustomSettings,
  path: string,
  values: Record<string, string>,
  ctx: CallContext,
): Call | undefined {
  const url = renderPath(path, values);
  return url === undefined ? undefined : { url, ...commonParts(settings, ctx) };
}
