import { z } from 'zod';
import { dropKept, readKept, writeKept } from '#app/lib/kept-drafts.ts';
import type { Kind } from '#server/generation/status.ts';

/**
 * What was filled in and not sent, kept in this browser per person and kind: prompt, model, parameters and the ids of
 * uploaded files; no key and no price.
 */
const composerDraft = z.object({
  model: z.string(),
  prompt: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  references: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      mime: z.string(),
      bytes: z.number(),
      url: z.string().startsWith('/files/'),
      previewUrl: z.string().startsWith('/files/').nullable(),
    }),
  ),
});
export type ComposerDraft = z.infer<typeof composerDraft>;

/** Null when there is none, or none that can be read. */
export function readDraft(owner: string, kind: Kind): ComposerDraft | null {
  return composerDraft.safeParse(readKept(owner, kind)).data ?? null;
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
