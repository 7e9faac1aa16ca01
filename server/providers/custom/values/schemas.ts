import { z } from 'zod';

/** The small parts that a description is made of, each with a sentence for what is wrong with it. */

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Set by the server itself for every request, or never sent. */
const RESERVED_HEADER =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|cookie|te|upgrade|idempotency-key|x-client-request-id)$/i;
const SECRET_NAME = /authorization|api[-_]?key|secret|token|passw|cookie|credential|signature/i;
const SECRET_VALUE = /^(bearer|basic|key|token)\s/i;
const SECRET_TOKEN = /\b(sk|r8|pk|rk|whsec)[-_]\w{8}|\beyJ[\w-]{10,}\.[\w-]{10,}\./;
const CREDENTIAL =
  'This looks like a credential. Put it into the field for the key, which is sealed, and choose where it goes.';
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;

const hasSecret = (text: string): boolean => SECRET_TOKEN.test(text);

/** Descriptions are stored and shown as they are, so that no key may be in one. */
export const withoutSecret = (text: z.ZodString) => text.refine((value) => !hasSecret(value), CREDENTIAL);

const headerName = z
  .string('Enter the name of the header.')
  .trim()
  .regex(HEADER_NAME, 'A header name has letters, digits and dashes only, such as X-Api-Key.')
  .refine(
    (name) => !RESERVED_HEADER.test(name),
    'This header is set by the server itself. Choose another one.',
  );

export const auth = z.discriminatedUnion(
  'style',
  [
    z.strictObject({ style: z.literal('bearer') }),
    z.strictObject({
      style: z.literal('header'),
      name: headerName,
      /** Goes before the key with a space between, such as `Key`. */
      prefix: z
        .string()
        .trim()
        .max(30, 'A prefix has at most 30 characters.')
        .regex(VISIBLE_ASCII, 'A prefix has visible ASCII characters only.')
        .default(''),
    }),
    z.strictObject({
      style: z.literal('query'),
      name: z
        .string('Enter the name of the query parameter.')
        .trim()
        .regex(
          /^[\w.~-]{1,64}$/,
          'A query parameter has letters, digits, dashes and dots only, such as api_key.',
        ),
    }),
    z.strictObject({ style: z.literal('none') }),
  ],
  'Choose where the key goes.',
);

export const fixedHeader = z
  .strictObject({
    name: headerName,
    value: z
      .string()
      .trim()
      .min(1, 'Enter the value after the colon, such as "X-Version: 2".')
      .max(500, 'A header value has at most 500 characters.')
      .regex(VISIBLE_ASCII, 'A header value has visible ASCII characters only.'),
  })
  .refine(
    ({ name, value }) => !SECRET_NAME.test(name) && !SECRET_VALUE.test(value) && !hasSecret(value),
    CREDENTIAL,
  );

type PathRule = { knows: readonly string[]; needs?: string };

/** A path below the channel's base URL. Whatever is filled in, the address stays at the base URL's own origin. */
export function pathSchema({ knows, needs }: PathRule) {
  return z
    .string('Enter a path, such as /jobs.')
    .trim()
    .min(1, 'Enter a path, such as /jobs.')
    .max(500, 'A path has at most 500 characters.')
    .superRefine((path, ctx) => {
      const problem = pathProblem(path, knows) ?? missingPlaceholder(path, needs);
      const hasKey = hasSecret(path) || queryNames(path).some((name) => SECRET_NAME.test(name));
      const message = problem ?? (hasKey ? CREDENTIAL : undefined);
      if (message) ctx.addIssue({ code: 'custom', message });
    });
}

const queryNames = (path: string): string[] => [
  ...new URLSearchParams(path.split('?').slice(1).join('?')).keys(),
];

function pathProblem(path: string, knows: readonly string[]): string | undefined {
  if (!path.startsWith('/'))
    return 'Start the path with "/". It goes below the base URL, so leave the host out.';
  if (path.startsWith('//') || path.includes('\\') || path.includes('#'))
    return 'A path has one "/" at its start, and neither "\\" nor "#".';
  if (!/^[\x21-\x7e]+$/.test(path))
    return 'A path has no spaces and only ASCII characters. Percent-encode the others.';
  const segments = (path.split('?')[0] ?? '').split('/');
  if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment)))
    return 'Leave "." and ".." out of the path: it must stay below the base URL.';
  const names = [...path.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] ?? '');
  const unknown = names.find((name) => !knows.includes(name));
  const choices =
    knows.length === 0 ? 'none can be used here' : `use ${knows.map((name) => `{${name}}`).join(' or ')}`;
  if (unknown !== undefined) return `{${unknown}} is not known in this path: ${choices}.`;
  if (/[{}]/.test(path.replaceAll(/\{[^{}]*\}/g, '')))
    return `A "{" or "}" stands alone in the path: ${choices}.`;
  return undefined;
}

function missingPlaceholder(path: string, needs: string | undefined): string | undefined {
  if (needs === undefined || path.includes(`{${needs}}`)) return undefined;
  return `Write {${needs}} where the ${needs === 'id' ? "job's id" : 'reference'} goes, such as /jobs/{${needs}}.`;
}

/** Where a value is in an answer: names and list positions, with `*` for every entry of a list. */
export const fieldPath = z
  .string()
  .trim()
  .max(200, 'Where a field is has at most 200 characters.')
  .regex(
    /^[^.,\s]{1,80}(\.[^.,\s]{1,80}){0,9}$/,
    'Write names with dots between, such as data.task.id; a number or * for an entry of a list.',
  )
  .refine((path) => !/(^|\.)(__proto__|constructor|prototype)(\.|$)/.test(path), 'This name cannot be read.');

export const fieldPaths = z.array(fieldPath).max(8, 'At most 8 places.').default([]);
