import { Button, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { ChartColumn } from 'lucide-react';
import { CostGuardPanel } from '#app/components/admin/money/cost-guard-panel.tsx';
import { DayChart } from '#app/components/admin/money/day-chart.tsx';
import { DayTable } from '#app/components/admin/money/day-table.tsx';
import { costGuardForm } from '#app/components/admin/money/money-form-schemas.ts';
import { moved, sumDays } from '#app/components/admin/money/sum-days.ts';
import { SummaryFacts } from '#app/components/admin/money/summary-facts.tsx';
import { TabLinks } from '#app/components/admin/money/tab-links.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel, PanelBleed } from '#app/components/ui/panel.tsx';
import { readDeed } from '#app/lib/deed.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice } from '#app/lib/read-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminMoneyTexts.in(languageOf(matches))('summary.title')} · Sidelane` },
];

const RANGES = ['7', '30', '90'] as const;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const range = readChoice(request.url, 'days', RANGES) ?? '30';
  const { dailySummary, costGuard } = context.trpc.adminBilling;
  const [days, guard] = await loadOrThrow(
    request,
    Promise.all([dailySummary({ days: Number(range) }), costGuard()]),
  );
  return { range, days, guard };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') !== 'cost-guard') throw unknownForm();
  return runDeed(
    { request, form },
    {
      intent: 'cost-guard',
      schema: costGuardForm,
      run: context.trpc.adminBilling.setCostGuard,
    },
  );
}

export default function MoneySummary() {
  const t = useT(adminMoneyTexts);
  const { range, days, guard } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const busy = days.filter(moved).reverse();
  return (
    <>
      <PageHeader
        title={t('summary.title')}
        edge={t('summary.edge')}
        actions={
          <Button component={Link} to="/admin/money/audit" variant="default">
            {t('summary.checkBooks')}
          </Button>
        }
      >
        {t('summary.lead')}
      </PageHeader>
      <TabLinks
        label={t('summary.range')}
        tabs={RANGES.map((value) => ({
          to: `/admin/money?days=${value}`,
          label: t('summary.days', { count: Number(value) }),
          current: value === range,
        }))}
      />
      <SummaryFacts totals={sumDays(days)} />
      <Stack gap="xl">
        <Panel title={t('summary.byDay')} id="by-day">
          {busy.length === 0 ? (
            <EmptyState icon={ChartColumn} title={t('summary.nothing')}>
              {t('summary.nothingHelp')}
            </EmptyState>
          ) : (
            <Stack gap="lg">
              <DayChart days={days} />
              <PanelBleed>
                <DayTable days={busy} />
              </PanelBleed>
            </Stack>
          )}
        </Panel>
        <CostGuardPanel
          key={String(guard.updatedAt?.valueOf() ?? 0)}
          guard={guard}
          saved={readDeed(answer)?.deed === 'cost-guard'}
        />
      </Stack>
    </>
  );
}
