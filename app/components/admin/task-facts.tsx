import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { AdminTaskDetailView, MoneyView } from '#server/generation/schemas.ts';

const MONEY_WORDS: Record<MoneyView['state'], string> = {
  held: 'Held',
  charged: 'Charged',
  partly_charged: 'Partly charged',
  refund_pending: 'Refund on its way',
  refund_manual: 'Refund needs a hand',
  refunded: 'Refunded',
};

const moment = (at: Date | null): ReactNode => (at ? <TimeAgo at={at} /> : null);

/** The operator's figures of a task; what is not known is left out. */
export function TaskFacts({ task }: { task: AdminTaskDetailView }) {
  const { money } = task;
  return (
    <DefinitionList
      entries={[
        ['Submitted', moment(task.submittedAt)],
        ['Finished', moment(task.finishedAt)],
        ['Next due', moment(task.nextDueAt)],
        ['Leased until', moment(task.leaseUntil)],
        ['Last worker', task.workerId],
        ['Upstream says', task.upstreamStatus],
        ['Errors in a row', task.errorCount > 0 ? `${task.errorCount}, ${task.lastErrorClass}` : null],
        ['Progress', task.progress === null ? null : `${task.progress} %`],
        ['Outputs', `${task.outputs.length} (${task.orderedOutputs} ordered)`],
        ['Money', MONEY_WORDS[money.state]],
        ['Held', <CreditAmount key="held" credits={money.heldCredits} />],
        ['Charged', <CreditAmount key="charged" credits={money.chargedCredits} />],
        ['Returned', <CreditAmount key="returned" credits={money.returnedCredits} />],
        [
          'Retry of',
          task.retryOf ? (
            <Anchor key="retry" component={Link} to={`/admin/tasks/${task.retryOf}`}>
              {task.retryOf}
            </Anchor>
          ) : null,
        ],
      ]}
    />
  );
}
