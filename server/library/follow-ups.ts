import type { ModelView, ReferenceMedium, ReferenceRole } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import type { FollowUp, LibraryOutputView } from './schemas.ts';

/** Ways on that are offered for one file; a house with many models would fill the page. */
const MOST = 12;

/**
 * Models that are known to take a file, each role of a model once, in the order of the models; and why there are none.
 * A text goes on by its words, not as a file.
 */
export function followUpsOf(
  output: { kind: Kind; bytes: number },
  models: readonly ModelView[],
  maxBytes: number,
): Pick<LibraryOutputView, 'followUps' | 'noFollowUps'> {
  const { kind: medium, bytes } = output;
  if (medium === 'text') return { followUps: [], noFollowUps: null };
  // A copy serves as the reference, and uploads have a limit.
  if (bytes > maxBytes) return { followUps: [], noFollowUps: { why: 'too_large', maxBytes } };
  const followUps = models
    .filter(({ kind }) => kind !== 'text')
    .flatMap((model) =>
      rolesFor(medium, model).map((role): FollowUp => {
        const { kind: make, slug, title } = model;
        return { make, model: { slug, title }, role };
      }),
    )
    .slice(0, MOST);
  return { followUps, noFollowUps: followUps.length > 0 ? null : { why: 'no_model' } };
}

const rolesFor = (medium: ReferenceMedium, { takes }: ModelView): ReferenceRole[] =>
  (Object.keys(takes) as ReferenceRole[]).filter((role) => takes[role]?.includes(medium));
