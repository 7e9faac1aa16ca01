import type { AttentionView } from '#server/generation/schemas.ts';
import type { UncertainReason } from '#server/generation/status.ts';

/** Pure texts about tasks that wait for a person. Times are not in them: components show those. */

export type UncertainItem = AttentionView['uncertain'][number];

/** What led to the doubt, for somebody who has not seen the task before. */
export function whatHappened(reason: UncertainReason): string {
  switch (reason) {
    case 'no_answer':
      return 'We sent it once and got no clear answer. The provider may or may not have started the job.';
    case 'overdue':
      return 'The provider took the job and has given no result within the time allowed.';
    case 'missing':
      return 'The provider took the job and says now that it does not know it.';
  }
}

/** What goes on without anybody's help, in the order of its worth. Never empty: "nothing" is said, too. */
export function whatWeDo(
  item: Pick<UncertainItem, 'isLookedUp' | 'mayReport' | 'upstreamId' | 'reason'>,
): string[] {
  const polled = item.upstreamId !== null && item.reason !== 'no_answer';
  const said = [
    polled ? 'We keep asking the provider for the job by its id.' : null,
    item.isLookedUp ? 'We keep asking the provider for a job with our reference.' : null,
    item.mayReport ? 'We wait for the provider’s word: its webhook would end the doubt.' : null,
  ].filter((sentence) => sentence !== null);
  return said.length > 0
    ? said
    : [
        'Nothing: this provider cannot be asked by our reference, and it does not report. Only you can find out.',
      ];
}
