import { type CustomSettingsInput, customSettings } from '#server/providers/custom/schemas.ts';
import type { DescriptionText } from './custom-form-schema.ts';

/** Between a description as it is stored and the texts of its form. */

const listOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split(/[\n,]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const linesOf = (text: string | undefined): string[] =>
  (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `name: value` or `word = meaning`; the part after the last sign is empty when it is missing. */
function pairOf(line: string, sign: ':' | '='): [string, string] {
  const at = sign === ':' ? line.indexOf(sign) : line.lastIndexOf(sign);
  return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

/** The settings that a filled-in form means. They may be wrong: parse them by `customSettings`. */
export function toSettings(form: DescriptionText): CustomSettingsInput {
  const { auth, create, poll, result, cancel, fields, accepted, refused, lookup, webhook, check } = form;
  const whenFilled = <T>(text: string | undefined, value: T): T | undefined =>
    text?.trim() ? value : undefined;
  return {
    auth: authOf(auth),
    headers: linesOf(form.headers).map((line) => {
      const [name, value] = pairOf(line, ':');
      return { name, value };
    }),
    create: { ...create, path: create.path ?? '', template: create.template ?? '' },
    poll: whenFilled(poll.path, {
      method: poll.method,
      path: poll.path ?? '',
      template: poll.template?.trim() ? poll.template : undefined,
    }),
    result: whenFilled(result.path, { path: result.path ?? '', as: result.as }),
    cancel: whenFilled(cancel.path, { method: cancel.method, path: cancel.path ?? '' }),
    lookup: whenFilled(lookup.path, {
      path: lookup.path ?? '',
      id: listOf(lookup.id),
      echo: listOf(lookup.echo),
      reliable: lookup.reliable,
    }),
    check: whenFilled(check.path, { path: check.path ?? '' }),
    fields: {
      id: listOf(fields.id),
      status: listOf(fields.status),
      progress: listOf(fields.progress),
      result: listOf(fields.result),
      encoding: fields.encoding,
      errorMessage: listOf(fields.errorMessage),
      errorCode: listOf(fields.errorCode),
      retryAfter: listOf(fields.retryAfter),
    },
    words: linesOf(form.words).map((line) => {
      const [word, meaning] = pairOf(line, '=');
      return { word, meaning: meaning.toLowerCase() as 'running' };
    }),
    accepted: conditionOf(accepted),
    refused: conditionOf(refused),
    webhook: whenFilled(webhook.id, { id: listOf(webhook.id) }),
  };
}

function authOf({ style, name, prefix }: DescriptionText['auth']): CustomSettingsInput['auth'] {
  if (style === 'header') return { style, name: name ?? '', prefix: prefix ?? '' };
  if (style === 'query') return { style, name: name ?? '' };
  return { style: style ?? 'bearer' };
}

function conditionOf({ path, values }: DescriptionText['accepted']): CustomSettingsInput['accepted'] {
  if (!path?.trim() && !values?.trim()) return undefined;
  return { path: path?.trim() ?? '', values: listOf(values) };
}

/** Where the form shows an issue of the settings, and what it says there. */
export function formFieldOf(path: readonly PropertyKey[], message: string): [PropertyKey[], string] {
  const [part, detail] = path;
  if (part === 'headers' || part === 'words') {
    const line = typeof detail === 'number' ? `Line ${detail + 1}: ` : '';
    return [['settings', part], `${line}${message}`];
  }
  if (part === undefined) return [['settings'], message];
  const field = detail ?? (part === 'webhook' ? 'id' : 'path');
  return [['settings', part, field], message];
}

/** The form of a stored description; undefined when it was broken by hand. */
export function toDescriptionText(stored: unknown): DescriptionText | undefined {
  const settings = customSettings.safeParse(stored).data;
  if (!settings) return undefined;
  const { auth, create, poll, result, cancel, fields, accepted, refused, lookup, webhook, check } = settings;
  const list = (entries: readonly string[] | undefined) => (entries ?? []).join(', ');
  return {
    auth: {
      style: auth.style,
      name: auth.style === 'header' || auth.style === 'query' ? auth.name : undefined,
      prefix: auth.style === 'header' ? auth.prefix : undefined,
    },
    headers: settings.headers.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    create,
    poll: { method: poll?.method, path: poll?.path, template: poll?.template },
    result: { path: result?.path, as: result?.as },
    cancel: { method: cancel?.method, path: cancel?.path },
    fields: {
      id: list(fields.id),
      status: list(fields.status),
      progress: list(fields.progress),
      result: list(fields.result),
      encoding: fields.encoding,
      errorMessage: list(fields.errorMessage),
      errorCode: list(fields.errorCode),
      retryAfter: list(fields.retryAfter),
    },
    words: settings.words.map(({ word, meaning }) => `${word} = ${meaning}`).join('\n'),
    accepted: { path: accepted?.path, values: list(accepted?.values) },
    refused: { path: refused?.path, values: list(refused?.values) },
    lookup: {
      path: lookup?.path,
      id: list(lookup?.id),
      echo: list(lookup?.echo),
      reliable: lookup?.reliable,
    },
    webhook: { id: list(webhook?.id) },
    check: { path: check?.path },
  };
}
