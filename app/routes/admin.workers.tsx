import { Code, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { Radio } from 'lucide-react';
import { Trans } from 'react-i18next';
import { ProcessPanel } from '#app/components/admin/process-panel.tsx';
import { WorkerPanel } from '#app/components/admin/worker-panel.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useAutoRefresh } from '#app/lib/use-auto-refresh.ts';
import { adminTexts } from '#app/locales/admin.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('workers.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { overview, workers } = context.trpc;
  const [list, processes] = await loadOrThrow(request, Promise.all([workers.list(), overview.processes()]));
  return { workers: list, processes };
}

export default function Workers() {
  const t = useT(adminTexts);
  const { workers, processes } = useLoaderData<typeof loader>();
  useAutoRefresh(10_000);
  return (
    <>
      <PageHeader title={t('workers.title')} edge={t('workers.edge')}>
        {t('workers.lead')}
      </PageHeader>
      <Stack gap="lg">
        {workers.length === 0 ? (
          <EmptyState icon={Radio} title={t('workers.empty.title')}>
            <p>
              <Trans
                t={t}
                i18nKey="workers.empty.text"
                components={{ code: <Code /> }}
                values={{ command: 'npm run daemon', token: 'MAINTENANCE_TOKEN', origin: 'SIDELANE_ORIGIN' }}
              />
            </p>
          </EmptyState>
        ) : (
          workers.map((worker) => <WorkerPanel key={worker.workerId} worker={worker} />)
        )}
        <ProcessPanel processes={processes} />
      </Stack>
    </>
  );
}
