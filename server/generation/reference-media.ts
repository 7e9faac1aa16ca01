import type { FileQuery, ProviderRuntime } from '#server/providers/provider.ts';
import type { ModelView, ReferenceMedium, ReferenceRole } from './schemas.ts';

/** A usual type of each medium, to ask with. */
const MIMES: Readonly<Record<ReferenceMedium, string>> = {
  image: 'image/png',
  video: 'video/mp4',
  audio: 'audio/mpeg',
};
const MEDIA = Object.keys(MIMES) as ReferenceMedium[];

/** What an account is known to take in each role that the files of an order can have, by their places. */
export function referenceMedia(
  { takesFile }: Pick<ProviderRuntime, 'takesFile'>,
  account: { protocol: string } & Omit<FileQuery, 'role' | 'mime'>,
  { maxReferences, referenceRoles }: Pick<ModelView, 'maxReferences' | 'referenceRoles'>,
): ModelView['takes'] {
  const { protocol, ...query } = account;
  const roles = new Set<ReferenceRole>(
    Array.from({ length: maxReferences }, (_, place) => roleAt(referenceRoles, place)),
  );
  const takes: ModelView['takes'] = {};
  for (const role of roles) {
    const media = MEDIA.filter((medium) => takesFile(protocol, { ...query, role, mime: MIMES[medium] }));
    if (media.length > 0) takes[role] = media;
  }
  return takes;
}

/** What the file at this place (from 0) is for; the last role counts for all further files. */
export const roleAt = (roles: readonly ReferenceRole[], place: number): ReferenceRole =>
  roles[Math.min(place, roles.length - 1)] ?? 'reference';
