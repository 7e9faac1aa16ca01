import { isRecord } from '#app/lib/is-record.ts';
import { dropKept, readKept, writeKept } from '#app/lib/kept-drafts.ts';
import { isUuid } from '#app/lib/read-query.ts';
import type { Kind } from '#server/generation/status.ts';

type KeptFile = {
  id: string;
  name: string;
  mime: string;
  bytes: number;
  url: string;
  previewUrl: string | null;
};

/**
 * What was filled in and not sent, kept in this browser per person and kind: prompt, model, parameters and the ids of
 * uploaded files; no key and no price.
 */
export type ComposerDraft = {
  model: string;
  prompt: string;
  params: Record<string, string | number | boolean>;
  references: KeptFile[];
};

const isText = (value: unknown): value is string => typeof value === 'string';
/** Of this site: a draft never makes the page ask another one. */
const isOurFile = (value: unknown): boolean => isText(value) && value.startsWith('/files/');

const isKeptFile = (value: unknown): value is KeptFile =>
  isRecord(value) &&
  isText(value.id) &&
  isUuid(value.id) &&
  isText(value.name) &&
  isText(value.mime) &&
  typeof value.bytes === 'number' &&
  isOurFile(value.url) &&
  (value.previewUrl === null || isOurFile(value.previewUrl));

const isDraft = (value: unknown): value is ComposerDraft =>
  isRecord(value) &&
  isText(value.model) &&
  isText(value.prompt) &&
  isRecord(value.params) &&
  Object.values(value.params).every((each) => ['string', 'number', 'boolean'].includes(typeof each)) &&
  Array.isArray(value.references) &&
  value.references.every(isKeptFile);

/** Null when there is none, or none that can be read. */
export function readDraft(owner: string, kind: Kind): ComposerDraft | null {
  const kept = readKept(owner, kind);
  return isDraft(kept) ? kept : null;
}

/** Keeps a draft; one without prompt and files is none. */
export function writeDraft(owner: string, kind: Kind, draft: ComposerDraft): void {
  if (draft.prompt.trim() === '' && draft.references.length === 0) dropKept(owner, kind);
  else writeKept(owner, kind, draft);
}

/** Those of some files that are still there: an upload that no task uses goes after a day. */
export async function filesThatAreThere(
  references: ComposerDraft['references'],
): Promise<ComposerDraft['references']> {
  const found = await Promise.all(
    references.map(async (reference) => {
      const answer = await fetch(reference.url, { method: 'HEAD' }).catch(() => null);
      // Nobody knows while the network is away; the submit will tell.
      return answer === null || answer.status !== 404 ? [reference] : [];
    }),
  );
  return found.flat();
}
