import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import type { AdminTaskDetailView } from '#server/generation/schemas.ts';

const moment = (at: Date | null): ReactNode => (at ? <TimeAgo at={at} /> : null);

/** The operator's figures of a task; what is not known is left out. */
export function TaskFacts({ task }: { task: AdminTaskDetailView }) {
  const t = useT(attentionTexts);
  const format = useFormat();
  const { money } = task;
  return (
    <DefinitionList
      entries={[
        [t('facts.submitted'), moment(task.submittedAt)],
        [t('facts.finished'), moment(task.finishedAt)],
        [t('facts.nextDue'), moment(task.nextDueAt)],
        [t('facts.leasedUntil'), moment(task.leaseUntil)],
        [t('facts.lastWorker'), task.workerId],
        [t('facts.upstreamSays'), task.upstreamStatus],
        [t('facts.errors'), task.errorCount > 0 ? `${task.errorCount}, ${task.lastErrorClass}` : null],
        [t('facts.progress'), task.progress === null ? null : format.percent(task.progress)],
        [
          t('facts.outputs'),
          t('facts.ordered', { outputs: task.outputs.length, ordered: task.orderedOutputs }),
        ],
        [t('facts.money'), t(`facts.moneyState.${money.state}`)],
        [t('facts.held'), <CreditAmount key="held" credits={money.heldCredits} />],
        [t('facts.charged'), <CreditAmount key="charged" credits={money.chargedCredits} />],
        [t('facts.returned'), <CreditAmount key="returned" credits={money.returnedCredits} />],
        [
          t('facts.partOf'),
          task.parentId ? (
            <Anchor key="parent" component={Link} to={`/admin/tasks/${task.parentId}`}>
              {task.parentId}
            </Anchor>
          ) : null,
        ],
        [
          t('facts.retryOf'),
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
