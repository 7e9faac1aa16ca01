import { Anchor, Text } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { AttentionView } from '#server/generation/schemas.ts';

/** Refunds whose tries are used up: owed, and not yet in the ledger. */
export function AttentionRefunds({ refunds }: { refunds: AttentionView['refunds'] }) {
  return (
    <DataTable
      label="Refunds that need a hand"
      rows={refunds}
      rowKey={(refund) => refund.taskId}
      columns={[
        {
          head: 'Owed to',
          primary: true,
          cell: (refund) => (
            <>
              <Anchor component={Link} to={`/admin/tasks/${refund.taskId}`} fw={600}>
                {refund.userEmail}
              </Anchor>
              <Text size="sm" c="dimmed">
                for task {refund.taskId}
              </Text>
            </>
          ),
        },
        { head: 'Amount', align: 'end', cell: (refund) => <CreditAmount credits={refund.amountCredits} /> },
        { head: 'Since', cell: (refund) => <TimeAgo at={refund.createdAt} style="both" /> },
        { head: 'Why it stopped', cell: (refund) => refund.lastError ?? 'No reason was noted.' },
      ]}
    />
  );
}
