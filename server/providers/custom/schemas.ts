import { z } from 'zod';
import { placeholdersIn, type TemplateUse, templateProblems } from './template/schemas.ts';
import { auth, fieldPath, fieldPaths, fixedHeader, pathSchema, withoutSecret } from './values/schemas.ts';

/**
 * The description of a protocol that an administrator writes: what the channel's `settings` hold for `custom`.
 * Isomorphic: the form, the procedure and the adapter read it by this one schema.
 */

export const AUTH_STYLES = ['bearer', 'header', 'query', 'none'] as const;
export const CREATE_BODIES = ['json', 'form', 'query'] as const;
export const MEDIA_STYLES = ['data_uri', 'base64', 'file'] as const;
/** `file`: the answer's body is the file itself. */
export const ENCODINGS = ['url', 'base64', 'text', 'file'] as const;
const MEANINGS = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export const CREATE_METHODS = ['POST', 'PUT'] as const;
export const POLL_METHODS = ['GET', 'POST'] as const;
export const CANCEL_METHODS = ['POST', 'PUT', 'DELETE'] as const;
export const RESULT_HOPS = ['json', 'file'] as const;

function templateSchema(use: TemplateUse) {
  return withoutSecret(z.string()).superRefine((template, ctx) => {
    for (const message of templateProblems(template, use)) ctx.addIssue({ code: 'custom', message });
  });
}

const condition = z.strictObject({
  path: fieldPath,
  values: z
    .array(
      z
        .string()
        .trim()
        .min(1)
        .max(100)
        .regex(/^[^,\n]*$/, 'A value has no comma.'),
    )
    .min(1, 'Enter at least one value to compare with.')
    .max(20, 'At most 20 values.'),
});

const statusWord = z.strictObject({
  /** As the shared vocabulary compares: lower case, `_` for spaces and dashes. */
  word: z
    .string()
    .trim()
    .min(1, 'Enter the word before the "=".')
    .max(100, 'A status word has at most 100 characters.')
    .transform((word) => word.toLowerCase().replaceAll(/[-\s]+/g, '_')),
  meaning: z.enum(MEANINGS, `Choose one of ${MEANINGS.join(', ')} after the "=".`),
});

const fields = z.strictObject({
  id: fieldPaths,
  status: fieldPaths,
  progress: fieldPaths,
  /** Empty: addresses are looked for in all the usual places. */
  result: fieldPaths,
  encoding: z.enum(ENCODINGS, 'Choose what the result is.').default('url'),
  errorMessage: fieldPaths,
  errorCode: fieldPaths,
  /** Seconds. */
  retryAfter: fieldPaths,
});

const description = z.strictObject({
  auth: auth.default({ style: 'bearer' }),
  headers: z.array(fixedHeader).max(20, 'At most 20 headers.').default([]),
  create: z.strictObject({
    method: z.enum(CREATE_METHODS, 'Choose a method.').default('POST'),
    path: pathSchema({ knows: ['model', 'ref'] }),
    body: z.enum(CREATE_BODIES, 'Choose how the request is sent.').default('json'),
    template: templateSchema('create').refine(
      (template) => placeholdersIn(template).some(({ name }) => name === 'prompt'),
      'Write {{prompt}} where the prompt goes.',
    ),
    /** How reference files are written into the template. */
    media: z.enum(MEDIA_STYLES, 'Choose how files are sent.').default('data_uri'),
  }),
  /** Absent: the create's answer is the result. */
  poll: z
    .strictObject({
      method: z.enum(POLL_METHODS, 'Choose a method.').default('GET'),
      path: pathSchema({ knows: ['id'] }),
      /** JSON body of a poll by POST. */
      template: templateSchema('poll').optional(),
    })
    .optional(),
  /** Where a finished job's result is, when the poll's answer does not hold it. */
  result: z
    .strictObject({
      path: pathSchema({ knows: ['id'], needs: 'id' }),
      /** `json`: an answer to read as the poll's; `file`: the file itself. */
      as: z.enum(RESULT_HOPS, 'Choose what the address gives.').default('json'),
    })
    .optional(),
  cancel: z
    .strictObject({
      method: z.enum(CANCEL_METHODS, 'Choose a method.').default('POST'),
      path: pathSchema({ knows: ['id'], needs: 'id' }),
    })
    .optional(),
  lookup: z
    .strictObject({
      path: pathSchema({ knows: ['ref'], needs: 'ref' }),
      /** Empty: where the create's answer has it. */
      id: fieldPaths,
      /** Where the answer repeats our reference. */
      echo: fieldPaths,
      /** A 404 proves that there is no such job. */
      reliable: z.boolean().default(false),
    })
    .optional(),
  check: z.strictObject({ path: pathSchema({ knows: [] }) }).optional(),
  fields: fields.prefault({}),
  words: z.array(statusWord).max(50, 'At most 50 status words.').default([]),
  /** A create's 2xx counts as taken only when this field has one of these values. */
  accepted: condition.optional(),
  /** A create's 2xx that is an explicit refusal: nothing was started. */
  refused: condition.optional(),
  /** Where a delivery names the job; it goes to the address of {{webhookUrl}}. */
  webhook: z.strictObject({ id: fieldPaths }).optional(),
});

/** A declarative protocol as it is stored with a channel. Every issue names its field and says what to do. */
export const customSettings = description.superRefine((settings, ctx) => {
  const fail = (path: PropertyKey[], message: string) => ctx.addIssue({ code: 'custom', path, message });
  checkFlow(settings, fail);
  checkHeaders(settings, fail);
  checkTemplateUse(settings, fail);
  checkLookup(settings, fail);
});
export type CustomSettings = z.output<typeof description>;
export type CustomSettingsInput = z.input<typeof description>;

type Fail = (path: PropertyKey[], message: string) => void;

function checkFlow(
  { auth, poll, result, cancel, lookup, webhook, fields }: CustomSettings,
  fail: Fail,
): void {
  if (poll) {
    if (fields.id.length === 0) fail(['fields', 'id'], "Say where the create's answer has the job's id.");
    if (fields.status.length === 0) fail(['fields', 'status'], "Say where the poll's answer has the status.");
    if (fields.encoding === 'file') {
      fail(
        ['fields', 'encoding'],
        'A poll answers in JSON. Describe the address of the file under "Result" instead.',
      );
    }
    const names = [poll.path, poll.method === 'POST' ? (poll.template ?? '') : ''].join(' ');
    if (!names.includes('{id}') && !names.includes('{{id}}'))
      fail(['poll', 'path'], "Write {id} where the job's id goes, such as /jobs/{id}.");
    if (poll.template !== undefined && poll.method === 'GET')
      fail(['poll', 'template'], 'A GET has no body. Choose POST, or empty this field.');
  } else {
    const orphan = { result, cancel, lookup, webhook };
    for (const [name, value] of Object.entries(orphan)) {
      if (value) fail([name], 'This needs a job to poll. Describe the poll, or empty this field.');
    }
  }
  if (result?.as === 'file' && auth.style === 'query') {
    fail(
      ['result', 'as'],
      'A file behind the key needs the key in a header. Choose a header for the key, or read the address from an answer.',
    );
  }
  const { encoding } = fields;
  if ((encoding === 'base64' || encoding === 'text') && fields.result.length === 0)
    fail(['fields', 'result'], `Say where the ${encoding === 'text' ? 'text' : 'base64'} is.`);
}

function checkHeaders({ auth, headers }: CustomSettings, fail: Fail): void {
  const names = headers.map(({ name }) => name.toLowerCase());
  if (new Set(names).size < names.length) fail(['headers'], 'Write each header once.');
  if (auth.style === 'header' && names.includes(auth.name.toLowerCase()))
    fail(['headers'], `The header ${auth.name} carries the key. Remove it here.`);
}

function checkTemplateUse({ create, webhook }: CustomSettings, fail: Fail): void {
  const names = placeholdersIn(create.template).map(({ name }) => name);
  if (create.media === 'file' && create.body !== 'form')
    fail(
      ['create', 'media'],
      'Files can be attached only to a form. Send the request as a form, or files as text.',
    );
  if (create.body === 'query' && names.some((name) => /^(references|firstFrame|lastFrame)/.test(name)))
    fail(['create', 'template'], 'An address cannot hold a file. Send the request as JSON or as a form.');
  if (webhook && !names.includes('webhookUrl'))
    fail(['create', 'template'], 'Write {{webhookUrl}} where the address for deliveries goes.');
}

function checkLookup({ create, lookup }: CustomSettings, fail: Fail): void {
  if (!lookup) return;
  const sendsReference =
    create.path.includes('{ref}') || placeholdersIn(create.template).some(({ name }) => name === 'ref');
  if (!sendsReference)
    fail(
      ['lookup', 'path'],
      'Write {{ref}} into the template: a job can be found only by a reference that it was given.',
    );
  if (lookup.path.includes('?') && lookup.echo.length === 0) {
    fail(
      ['lookup', 'echo'],
      'Say where the answer repeats the reference. A list that ignores the filter would give the job of somebody else.',
    );
  }
}
