import type { ModelView } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import type { FollowUp } from './schemas.ts';

/** Ways on that are offered for one file; a house with many models would fill the page. */
const MOST = 12;

/**
 * Models that take a file as a reference: pictures serve as references and as first and last frames. Each role of a
 * model once, in the order of the models.
 */
export function followUpsOf(
  output: { kind: Kind; bytes: number },
  models: readonly ModelView[],
  maxBytes: number,
): FollowUp[] {
  // A copy serves as the reference, and uploads have a limit.
  if (output.kind !== 'image' || output.bytes > maxBytes) return [];
  return models
    .filter(({ kind, maxReferences }) => maxReferences > 0 && (kind === 'image' || kind === 'video'))
    .flatMap(({ kind, slug, title, referenceRoles, maxReferences }) =>
      [...new Set(referenceRoles.slice(0, maxReferences))].map((role) => ({
        make: kind,
        model: { slug, title },
        role,
      })),
    )
    .slice(0, MOST);
}
