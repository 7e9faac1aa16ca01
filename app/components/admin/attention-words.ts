import type { TFunction } from 'i18next';
import type { AttentionView } from '#server/generation/schemas.ts';

/** Texts about tasks that wait for a person. Times are not in them: components show those. */

export type UncertainItem = AttentionView['uncertain'][number];

/** What goes on without anybody's help, in the order of its worth. Never empty: "nothing" is said, too. */
export function whatWeDo(
  item: Pick<UncertainItem, 'isLookedUp' | 'mayReport' | 'upstreamId' | 'reason'>,
  t: TFunction<'attention'>,
): string[] {
  const polled = item.upstreamId !== null && item.reason !== 'no_answer';
  const said = [
    polled ? t('uncertain.polled') : null,
    item.isLookedUp ? t('uncertain.lookedUp') : null,
    item.mayReport ? t('uncertain.reports') : null,
  ].filter((sentence) => sentence !== null);
  return said.length > 0 ? said : [t('uncertain.onlyYou')];
}
