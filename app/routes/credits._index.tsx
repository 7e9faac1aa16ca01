import { Anchor, Button } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { Coins, Download, Search, ShoppingCart, Ticket } from 'lucide-react';
import { BucketTable } from '#app/components/money/bucket-table.tsx';
import { DebtsNotice, owedCredits } from '#app/components/money/debts-notice.tsx';
import { LedgerFilters } from '#app/components/money/ledger-filters.tsx';
import { ledgerSearch, readLedgerQuery } from '#app/components/money/ledger-query.ts';
import { LedgerTable } from '#app/components/money/ledger-table.tsx';
import classes from '#app/components/money/money.module.css';
import { OrderTable } from '#app/components/money/order-table.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { moneyTexts } from '#app/locales/money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${moneyTexts.in(languageOf(matches))('credits.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { cursor, ...filters } = readLedgerQuery(new URL(request.url).searchParams);
  const { billing, orders } = context.trpc;
  const [balance, ledger, recent] = await loadOrThrow(
    request,
    Promise.all([
      billing.balance(),
      billing.ledger({ ...filters, cursor, limit: 30 }),
      orders.list({ limit: 5 }),
    ]),
  );
  return { balance, ledger, orders: recent.items, filters, later: cursor !== undefined };
}

export default function Credits() {
  const { balance, ledger, orders, filters, later } = useLoaderData<typeof loader>();
  const t = useT(moneyTexts);
  const owed = owedCredits(balance.debts);
  return (
    <>
      <PageHeader
        title={t('credits.title')}
        edge={t('credits.edge')}
        actions={
          <>
            <Button
              component={Link}
              to="/credits/buy"
              leftSection={<ShoppingCart size={16} aria-hidden="true" />}
            >
              {t('credits.buy')}
            </Button>
            <Button
              component={Link}
              to="/redeem"
              variant="default"
              leftSection={<Ticket size={16} aria-hidden="true" />}
            >
              {t('credits.redeem')}
            </Button>
          </>
        }
      >
        {t('credits.lead')}
      </PageHeader>
      <DebtsNotice debts={balance.debts} />
      <FactList
        facts={[
          {
            label: t('credits.balance'),
            value: <CreditAmount credits={balance.balanceCredits} />,
            help: t('credits.balanceHelp'),
          },
          {
            label: t('credits.held'),
            value: <CreditAmount credits={balance.heldCredits} />,
            help: t('credits.heldHelp'),
          },
          ...(owed > 0 ? [{ label: t('credits.owed'), value: <CreditAmount credits={owed} /> }] : []),
        ]}
      />
      <div className={classes.sections}>
        {balance.buckets.length > 0 ? (
          <Panel title={t('credits.byExpiry')} id="by-expiry" description={t('credits.byExpiryHelp')} flush>
            <BucketTable buckets={balance.buckets} />
          </Panel>
        ) : null}
        {orders.length > 0 ? (
          <Panel
            title={t('credits.recent')}
            id="recent-orders"
            actions={
              <Anchor component={Link} to="/orders">
                {t('credits.allOrders')}
              </Anchor>
            }
            flush
          >
            <OrderTable orders={orders} />
          </Panel>
        ) : null}
        <div>
          <Panel title={t('credits.movements')} id="ledger" flush>
            <div className={classes.flushFilters}>
              <LedgerFilters label={t('credits.ledger')} filters={filters}>
                <Button
                  component="a"
                  href={`/credits/ledger.csv${ledgerSearch(filters)}`}
                  variant="default"
                  leftSection={<Download size={16} aria-hidden="true" />}
                >
                  {t('credits.csv')}
                </Button>
              </LedgerFilters>
            </div>
            {ledger.items.length > 0 ? (
              <LedgerTable
                label={t('credits.entries')}
                entries={ledger.items}
                paths={{ tasks: '/workbench/tasks', orders: '/orders' }}
              />
            ) : (
              <NoEntries narrowed={later || Object.keys(filters).length > 0} />
            )}
          </Panel>
          <Pagination nextCursor={ledger.nextCursor} label={t('credits.list')} />
        </div>
      </div>
    </>
  );
}

function NoEntries({ narrowed }: { narrowed: boolean }) {
  const t = useT(moneyTexts);
  if (!narrowed) {
    return (
      <EmptyState icon={Coins} title={t('credits.none')}>
        {t('credits.noneHelp')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Search}
      title={t('credits.noMatch')}
      action={
        <Button component={Link} to="/credits" variant="default" preventScrollReset>
          {t('credits.clear')}
        </Button>
      }
    >
      {t('credits.noMatchHelp')}
    </EmptyState>
  );
}
