import { Code, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import type { TFunction } from 'i18next';
import classes from '#app/components/admin/operations/operations.module.css';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import type { EnvironmentFact, SystemView } from '#server/operations/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('system.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { system: await loadOrThrow(request, context.trpc.operations.system()) };
}

export default function System() {
  const t = useT(operationsTexts);
  const { system } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('system.title')} edge={t('edge')}>
        {t('system.lead')}
      </PageHeader>
      <Stack gap="xl">
        <Panel id="system-warnings" title={t('system.warnings')}>
          <Warnings warnings={system.warnings} />
        </Panel>
        <Panel id="system-versions" title={t('system.versions')}>
          <DefinitionList entries={versionsOf(system, t)} />
        </Panel>
        <Panel id="system-parts" title={t('system.parts')}>
          <DefinitionList entries={partsOf(system, t)} />
        </Panel>
        <Panel
          id="system-environment"
          title={t('system.environment')}
          description={t('system.environmentLead')}
          flush
        >
          <EnvironmentTable facts={system.environment} />
        </Panel>
      </Stack>
    </>
  );
}

function Warnings({ warnings }: Pick<SystemView, 'warnings'>) {
  const t = useT(operationsTexts);
  if (warnings.length === 0) return <p className={classes.value}>{t('system.fine')}</p>;
  return (
    <Notice tone="warning">
      <ul className={classes.warnings}>
        {warnings.map((warning) => (
          <li key={warning}>{t(`system.warning.${warning}`)}</li>
        ))}
      </ul>
    </Notice>
  );
}

type T = TFunction<'operations'>;

function versionsOf(system: SystemView, t: T) {
  const { known, pending } = system.migrations;
  return [
    [t('system.app'), system.appVersion],
    [t('system.node'), system.nodeVersion],
    [t('system.postgres'), system.postgresVersion],
    [t('system.protocol'), t('system.protocolValue', system.protocol)],
    [
      t('system.migrations'),
      pending.length === 0
        ? t('system.migrated', { count: known })
        : t('system.pending', { tags: pending.join(', ') }),
    ],
  ] as const;
}

function partsOf({ storage, mediaTools, payments }: SystemView, t: T) {
  const what = t(`system.storageValue.${storage.driver}`);
  return [
    [t('system.storage'), t(storage.answers ? 'system.answers' : 'system.silent', { what })],
    ['ffmpeg', mediaTools.ffmpeg ?? t('system.notFound')],
    ['ffprobe', mediaTools.ffprobe ?? t('system.notFound')],
    [
      t('system.payments'),
      payments === null
        ? t('system.noPayments')
        : payments.test
          ? t('system.testMode', { name: payments.name })
          : payments.name,
    ],
  ] as const;
}

function EnvironmentTable({ facts }: { facts: readonly EnvironmentFact[] }) {
  const t = useT(operationsTexts);
  return (
    <DataTable
      label={t('system.environment')}
      rows={facts}
      rowKey={({ name }) => name}
      columns={[
        { head: t('system.name'), primary: true, cell: ({ name }) => <Code>{name}</Code> },
        { head: t('system.value'), cell: (fact) => <FactValue fact={fact} /> },
        { head: t('system.source'), cell: ({ from }) => t(`system.sources.${from}`) },
      ]}
    />
  );
}

function FactValue({ fact: { secret, from, value } }: { fact: EnvironmentFact }) {
  const t = useT(operationsTexts);
  if (secret) return <em>{t(from === 'environment' ? 'system.set' : 'system.missing')}</em>;
  return value === null ? <em>{t('system.notSet')}</em> : <span className={classes.value}>{value}</span>;
}
