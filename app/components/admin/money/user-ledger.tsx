import { Button } from '@mantine/core';
import { Download, Receipt } from 'lucide-react';
import { NoneFound } from '#app/components/admin/lists/none-found.tsx';
import { LedgerFilters } from '#app/components/money/ledger-filters.tsx';
import { type LedgerQuery, ledgerSearch } from '#app/components/money/ledger-query.ts';
import { LedgerTable } from '#app/components/money/ledger-table.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel, PanelBleed } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { UserMoneyView } from '#server/billing/schemas.ts';
import classes from './money.module.css';

type UserLedgerProps = { userId: string; ledger: UserMoneyView['ledger']; query: LedgerQuery };

/** Every movement of one person: who did it and the key that makes it happen once. */
export function UserLedger({ userId, ledger, query }: UserLedgerProps) {
  const t = useT(adminMoneyTexts);
  const search = ledgerSearch(query);
  return (
    <div>
      <Panel
        title={t('ledger.title')}
        id="ledger"
        description={t('ledger.help')}
        actions={
          <Button
            component="a"
            href={`/admin/users/${userId}/ledger.csv${search}`}
            download
            variant="default"
            size="xs"
            leftSection={<Download size={14} aria-hidden="true" />}
          >
            {t('csv')}
          </Button>
        }
      >
        <LedgerFilters label={t('ledger.movements')} filters={query} />
        {ledger.items.length === 0 ? (
          <NoneFound
            none={t('ledger.none')}
            noMatch={t('ledger.noMatch')}
            narrowed={search !== '' || query.cursor !== undefined}
            to={`/admin/users/${userId}`}
            icon={Receipt}
          >
            {t('ledger.noneHelp')}
          </NoneFound>
        ) : (
          <PanelBleed>
            <LedgerTable
              label={t('ledger.movements')}
              entries={ledger.items}
              paths={{ tasks: '/admin/tasks', orders: '/admin/orders' }}
              by={({ actor, key }) => (
                <span className={classes.key}>
                  {actor}
                  <span className={classes.mono}>{key}</span>
                </span>
              )}
            />
          </PanelBleed>
        )}
      </Panel>
      <Pagination nextCursor={ledger.nextCursor} label={t('ledger.movements')} />
    </div>
  );
}
