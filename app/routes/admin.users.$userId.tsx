import { Anchor, Group, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { limitsForm, StandingPanel } from '#app/components/admin/lists/standing-panel.tsx';
import { AdjustPanel } from '#app/components/admin/money/adjust-panel.tsx';
import { BalancePanel } from '#app/components/admin/money/balance-panel.tsx';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { adjustForm, toAdjustment } from '#app/components/admin/money/money-form-schemas.ts';
import { OrderTable } from '#app/components/admin/money/order-table.tsx';
import { UserBadge } from '#app/components/admin/money/user-badge.tsx';
import { UserLedger } from '#app/components/admin/money/user-ledger.tsx';
import { readLedgerQuery } from '#app/components/money/ledger-query.ts';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid } from '#app/lib/read-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { setDisabledInput } from '#server/users/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  {
    title: `${data?.money.user.email ?? adminMoneyTexts.in(languageOf(matches))('people.person')} · Sidelane`,
  },
];

const SHOWN_ORDERS = 5;
const standingForm = setDisabledInput.omit({ disabled: true });

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const userId = params.userId ?? '';
  if (!isUuid(userId)) throw new Response('There is no such user.', { status: 404 });
  const query = readLedgerQuery(new URL(request.url).searchParams);
  const { adminBilling, adminOrders, adminUsers } = context.trpc;
  const [money, orders, standing] = await loadOrThrow(
    request,
    Promise.all([
      adminBilling.userMoney({ userId, ...query, limit: 30 }),
      adminOrders.list({ userId, limit: SHOWN_ORDERS }),
      adminUsers.get({ userId }),
    ]),
  );
  return { money, orders, standing, query, formKey: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { adminBilling, adminUsers } = context.trpc;
  const posted = { request, form };
  const intent = form.get('intent');
  switch (intent) {
    case 'adjust':
      return runDeed(posted, {
        intent,
        schema: adjustForm,
        run: (input) => adminBilling.adjust(toAdjustment(input)),
        done: ({ moved }) => (moved ? 'adjust' : 'adjust-repeated'),
      });
    case 'set-limits':
      return runDeed(posted, {
        intent,
        schema: limitsForm,
        run: adminUsers.setLimits,
      });
    case 'disable-user':
    case 'enable-user':
      return runDeed(posted, {
        intent,
        idField: 'userId',
        schema: standingForm,
        run: (input) => adminUsers.setDisabled({ ...input, disabled: intent === 'disable-user' }),
      });
    default:
      throw unknownForm();
  }
}

export default function Person() {
  const { money, orders, standing, query, formKey } = useLoaderData<typeof loader>();
  const t = useT(adminMoneyTexts);
  const { user, balance, ledger } = money;
  return (
    <>
      <PageHeader title={user.email} edge={t('people.edge', { id: user.userId })}>
        <Group gap="sm">
          <UserBadge user={user} />
          <span>
            {t('people.since', { name: user.displayName })} <TimeAgo at={user.createdAt} style="absolute" />
          </span>
        </Group>
      </PageHeader>
      <DeedNotice />
      <FactList
        facts={[
          { label: t('people.balance'), value: <CreditAmount credits={balance.balanceCredits} /> },
          {
            label: t('people.held'),
            value: <CreditAmount credits={balance.heldCredits} />,
            help: t('people.heldHelp'),
          },
          { label: t('people.owed'), value: <CreditAmount credits={user.owedCredits} /> },
        ]}
      />
      <Stack gap="xl">
        <BalancePanel balance={balance} />
        <StandingPanel standing={standing} />
        {user.deleted ? null : <AdjustPanel userId={user.userId} formKey={formKey} />}
        {orders.items.length > 0 ? (
          <Panel
            title={t('orders.title')}
            id="orders"
            flush
            actions={
              orders.nextCursor ? (
                <Anchor component={Link} to={`/admin/orders?user=${user.userId}`} size="sm">
                  {t('people.showAll')}
                </Anchor>
              ) : null
            }
          >
            <OrderTable orders={orders.items} withUser={false} />
          </Panel>
        ) : null}
        <UserLedger userId={user.userId} ledger={ledger} query={query} />
      </Stack>
    </>
  );
}
