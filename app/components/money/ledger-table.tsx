import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { moneyTexts } from '#app/locales/money.ts';
import type { LedgerEntryView } from '#server/billing/schemas.ts';
import { ledgerReason } from './ledger-reason.ts';
import { ledgerKindLabel } from './ledger-words.ts';
import classes from './money.module.css';

/** Addresses that the pages of tasks and of orders are below. */
type Paths = { tasks: string; orders: string };

type LedgerTableProps<Entry> = {
  label: string;
  entries: readonly Entry[];
  paths: Paths;
  /** Who moved it: a column more, for those who may know. */
  by?: (entry: Entry) => ReactNode;
};

/** Every movement of a balance, with what it was for: the task or the order that it leads to. */
export function LedgerTable<Entry extends LedgerEntryView>({
  label,
  entries,
  paths,
  by,
}: LedgerTableProps<Entry>) {
  const t = useT(moneyTexts);
  const language = useLanguage();
  return (
    <DataTable
      label={label}
      rows={entries}
      rowKey={(entry) => entry.id}
      columns={[
        { head: t('ledger.when'), cell: (entry) => <TimeAgo at={entry.at} style="absolute" /> },
        {
          head: t('ledger.what'),
          primary: true,
          cell: (entry) => (
            <div className={by ? classes.narrow : undefined}>
              <strong>{ledgerKindLabel(entry.kind, language)}</strong>
              <br />
              <Reason entry={entry} paths={paths} />
            </div>
          ),
        },
        ...(by ? [{ head: t('ledger.by'), cell: by }] : []),
        {
          head: t('ledger.amount'),
          align: 'end',
          cell: (entry) => <CreditAmount credits={entry.deltaCredits} signed compact />,
        },
        {
          head: t('ledger.after'),
          align: 'end',
          cell: (entry) => <CreditAmount credits={entry.balanceAfterCredits} compact />,
        },
      ]}
    />
  );
}

function Reason({ entry, paths }: { entry: LedgerEntryView; paths: Paths }) {
  const { taskId, orderId } = entry;
  const reason = ledgerReason(entry.reason, useLanguage());
  const to = taskId ? `${paths.tasks}/${taskId}` : orderId ? `${paths.orders}/${orderId}` : null;
  if (!to) return reason;
  return (
    <Anchor component={Link} to={to} size="sm">
      {reason}
    </Anchor>
  );
}
