import type { ReferenceRole } from '#server/generation/schemas.ts';

const NAMES: Record<ReferenceRole, string> = {
  reference: 'Reference',
  first_frame: 'First frame',
  last_frame: 'Last frame',
};

/** What the file at this place (from 0) is for; the last role counts for all further files. */
export function roleOf(roles: readonly ReferenceRole[], index: number): ReferenceRole {
  return roles[Math.min(index, roles.length - 1)] ?? 'reference';
}

/** The same in words: `First frame`, `Reference 2`. */
export function roleLabel(roles: readonly ReferenceRole[], index: number): string {
  const role = roleOf(roles, index);
  if (role !== 'reference') return NAMES[role];
  const before = Array.from({ length: index }, (_, place) => roleOf(roles, place));
  return `${NAMES.reference} ${before.filter((other) => other === 'reference').length + 1}`;
}

/** Heading and explanation of the files that a model takes, `limit` at most. */
export function describeRoles(
  roles: readonly ReferenceRole[],
  limit: number,
): { label: string; hint: string } {
  const places = Array.from({ length: Math.max(limit, 1) }, (_, index) => roleOf(roles, index));
  const words = [...new Set(places)].map((role) =>
    role === 'reference' ? 'references' : NAMES[role].toLowerCase(),
  );
  if (places.every((role) => role === 'reference')) {
    const files = limit === 1 ? 'One file' : `Up to ${limit} files`;
    return { label: 'Reference files', hint: `${files} for the model to look at.` };
  }
  const label = words.join(', ');
  return {
    label: label.charAt(0).toUpperCase() + label.slice(1),
    hint: limit === 1 ? 'One picture.' : `Up to ${limit} files, in this order: ${words.join(', then ')}.`,
  };
}
