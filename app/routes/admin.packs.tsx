import { Anchor, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { CircleCheck, CircleOff, Package } from 'lucide-react';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { packForm, toPack } from '#app/components/admin/money/pack-form-schema.ts';
import { PackPanel } from '#app/components/admin/money/pack-panel.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { readDeed } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readCursor } from '#app/lib/read-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { AdminPackView } from '#server/orders/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminMoneyTexts.in(languageOf(matches))('packs.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const packs = await loadOrThrow(request, context.trpc.adminOrders.packs());
  const editId = readCursor(request.url, 'edit');
  return { packs, edited: packs.find((pack) => pack.id === editId) ?? null, formKey: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') !== 'save-pack') throw unknownForm();
  return runDeed(
    { request, form },
    {
      intent: 'save-pack',
      schema: packForm,
      run: (input) => context.trpc.adminOrders.savePack(toPack(input)),
    },
  );
}

export default function Packs() {
  const t = useT(adminMoneyTexts);
  const { packs, edited, formKey } = useLoaderData<typeof loader>();
  const saved = readDeed(useActionData<typeof action>());
  return (
    <>
      <PageHeader title={t('packs.title')} edge={t('summary.title')}>
        {t('packs.lead')}
      </PageHeader>
      <DeedNotice />
      <Stack gap="xl">
        {packs.length === 0 ? (
          <EmptyState icon={Package} title={t('packs.none')}>
            {t('packs.noneHelp')}
          </EmptyState>
        ) : (
          <Panel flush>
            <PackTable packs={packs} />
          </Panel>
        )}
        {/* Another pack, or a new one that was saved, fills the form anew. */}
        <PackPanel
          key={edited?.id ?? `new-${saved ? packs.length : 'first'}`}
          pack={edited}
          formKey={formKey}
        />
      </Stack>
    </>
  );
}

function PackTable({ packs }: { packs: readonly AdminPackView[] }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('packs.title')}
      rows={packs}
      rowKey={(pack) => pack.id}
      columns={[
        {
          head: t('packs.pack'),
          primary: true,
          cell: (pack) => (
            <Anchor component={Link} to={`/admin/packs?edit=${pack.id}#pack`} fw={600}>
              {pack.title}
            </Anchor>
          ),
        },
        { head: t('orders.credits'), align: 'end', cell: (pack) => format.integer(pack.credits) },
        {
          head: t('orders.price'),
          align: 'end',
          cell: (pack) => format.money(pack.amountMinor, pack.currency),
        },
        {
          head: t('packs.valid'),
          cell: ({ validDays }) =>
            validDays === null ? t('packs.forEver') : t('summary.days', { count: validDays }),
        },
        { head: t('packs.position'), align: 'end', cell: (pack) => pack.position },
        {
          head: t('packs.sale'),
          cell: (pack) =>
            pack.enabled ? (
              <ToneBadge tone="good" icon={CircleCheck}>
                {t('packs.onSale')}
              </ToneBadge>
            ) : (
              <ToneBadge tone="idle" icon={CircleOff}>
                {t('packs.notSold')}
              </ToneBadge>
            ),
        },
      ]}
    />
  );
}
