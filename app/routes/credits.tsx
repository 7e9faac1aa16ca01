import { Anchor } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Coins } from 'lucide-react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { readCursor } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import type { LedgerEntryView } from '#server/billing/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Credits · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const cursor = readCursor(request.url);
  const [balance, ledger] = await loadOrThrow(
    request,
    Promise.all([context.trpc.billing.balance(), context.trpc.billing.ledger({ cursor, limit: 30 })]),
  );
  return { balance, ledger };
}

const KIND_WORDS: Record<LedgerEntryView['kind'], string> = {
  grant: 'Grant',
  hold: 'Held for a task',
  return: 'Rest returned',
  refund: 'Refund',
  adjustment: 'Adjustment',
};

export default function Credits() {
  const { balance, ledger } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title="Credits" edge="Ledger">
        Credits are set aside when a task is accepted. It is charged for what it delivered; the rest comes
        back by itself.
      </PageHeader>
      <FactList
        facts={[
          { label: 'Balance', value: <CreditAmount credits={balance.balanceCredits} /> },
          {
            label: 'Set aside',
            value: <CreditAmount credits={balance.heldCredits} />,
            help: 'In running tasks and refunds on their way',
          },
        ]}
      />
      <Panel title="Every movement" flush>
        {ledger.items.length === 0 ? (
          <EmptyState icon={Coins} title="Nothing has moved yet">
            Ask your administrator for credits; the first grant and every task will show here.
          </EmptyState>
        ) : (
          <DataTable
            label="Ledger entries"
            rows={ledger.items}
            rowKey={(entry) => entry.id}
            columns={[
              { head: 'When', cell: (entry) => <TimeAgo at={entry.at} style="absolute" /> },
              { head: 'What', cell: (entry) => <What entry={entry} />, primary: true },
              {
                head: 'Amount',
                align: 'end',
                cell: (entry) => <CreditAmount credits={entry.deltaCredits} signed compact />,
              },
              {
                head: 'Balance after',
                align: 'end',
                cell: (entry) => <CreditAmount credits={entry.balanceAfterCredits} compact />,
              },
            ]}
          />
        )}
      </Panel>
      <Pagination nextCursor={ledger.nextCursor} label="ledger entries" />
    </>
  );
}

function What({ entry }: { entry: LedgerEntryView }) {
  return (
    <>
      <strong>{KIND_WORDS[entry.kind]}</strong>
      <br />
      {entry.taskId ? (
        <Anchor component={Link} to={`/workbench/tasks/${entry.taskId}`} size="sm">
          {entry.reason}
        </Anchor>
      ) : (
        entry.reason
      )}
    </>
  );
}
