import type { TFunction } from 'i18next';
import type { CancelAllView } from '#server/generation/schemas.ts';

/** What came of cancelling everything, in a few short sentences. */
export function cancelAllWords(
  t: TFunction<'tasks'>,
  { cancelled, requested, unsupported, hasMore }: CancelAllView,
): string {
  const said = [
    cancelled > 0 ? t('cancelAll.cancelled', { count: cancelled }) : '',
    requested > 0 ? t('cancelAll.requested', { count: requested }) : '',
    unsupported > 0 ? t('cancelAll.unsupported', { count: unsupported }) : '',
    hasMore ? t('cancelAll.more') : '',
  ].filter(Boolean);
  return said.length > 0 ? said.join(' ') : t('cancelAll.nothing');
}
