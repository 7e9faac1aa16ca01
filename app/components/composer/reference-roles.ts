import type { TFunction } from 'i18next';
import type { ReferenceRole } from '#server/generation/schemas.ts';

type T = TFunction<'workbench'>;

/** What the file at this place (from 0) is for; the last role counts for all further files. */
export function roleOf(roles: readonly ReferenceRole[], index: number): ReferenceRole {
  return roles[Math.min(index, roles.length - 1)] ?? 'reference';
}

/** The same in words: `First frame`, `Reference 2`. */
export function roleLabel(t: T, roles: readonly ReferenceRole[], index: number): string {
  const role = roleOf(roles, index);
  if (role !== 'reference') return t(`references.role.${role}`);
  const before = Array.from({ length: index }, (_, place) => roleOf(roles, place));
  return t('references.numbered', { number: before.filter((other) => other === 'reference').length + 1 });
}

/** Heading and explanation of the files that a model takes, `limit` at most. */
export function describeRoles(
  t: T,
  roles: readonly ReferenceRole[],
  limit: number,
): { label: string; hint: string } {
  const places = Array.from({ length: Math.max(limit, 1) }, (_, index) => roleOf(roles, index));
  if (places.every((role) => role === 'reference')) {
    const hint = limit === 1 ? t('references.hintOne') : t('references.hintMany', { count: limit });
    return { label: t('references.label'), hint };
  }
  const words = [...new Set(places)].map((role) => t(`references.roleIn.${role}`));
  const label = words.join(t('references.comma'));
  return {
    label: label.charAt(0).toUpperCase() + label.slice(1),
    hint:
      limit === 1
        ? t('references.hintOnePicture')
        : t('references.hintOrder', { count: limit, order: words.join(t('references.then')) }),
  };
}
