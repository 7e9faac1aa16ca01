import { Anchor, Button, Code, TextInput } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { ScrollText, Search } from 'lucide-react';
import { FilterForm } from '#app/components/admin/lists/filter-form.tsx';
import { readAuditQuery } from '#app/components/admin/operations/audit-query.ts';
import classes from '#app/components/admin/operations/operations.module.css';
import { SubjectLink } from '#app/components/admin/operations/subject-link.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { operationsTexts } from '#app/locales/operations.ts';
import { AUDIT_SORTS, type AuditEntryView } from '#server/operations/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${operationsTexts.in(languageOf(matches))('audit.title')} · Sidelane` },
];

/** Filters live in the address, so a view can be kept and sent on. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = readAuditQuery(new URL(request.url).searchParams);
  const page = await loadOrThrow(request, context.trpc.operations.auditLog({ ...query, limit: 50 }));
  return { page, query };
}

export default function AuditLog() {
  const t = useT(operationsTexts);
  const { page, query } = useLoaderData<typeof loader>();
  const narrowed = Object.values(query).some((value) => value !== undefined);
  return (
    <>
      <PageHeader title={t('audit.title')} edge={t('edge')}>
        {t('audit.lead')}
      </PageHeader>
      <FilterForm
        sorts={AUDIT_SORTS.map((sort) => ({ value: sort, label: t(`audit.sorts.${sort}`) }))}
        sort={query.sort ?? AUDIT_SORTS[0]}
        csv="/admin/audit.csv"
      >
        <TextInput label={t('audit.actor')} name="actor" type="search" defaultValue={query.actor} />
        <TextInput
          label={t('audit.action')}
          name="action"
          type="search"
          placeholder={t('audit.actionHint')}
          defaultValue={query.action}
        />
        <TextInput label={t('audit.subjectId')} name="subject" type="search" defaultValue={query.subjectId} />
        <TextInput label={t('audit.from')} name="from" type="date" defaultValue={query.from} />
        <TextInput label={t('audit.to')} name="to" type="date" defaultValue={query.to} />
      </FilterForm>
      {page.items.length > 0 ? (
        <Panel flush>
          <EntryTable entries={page.items} />
        </Panel>
      ) : narrowed ? (
        <EmptyState
          icon={Search}
          title={t('audit.nothing')}
          action={
            <Button component={Link} to="/admin/audit" variant="default">
              {t('audit.all')}
            </Button>
          }
        >
          {t('audit.nothingText')}
        </EmptyState>
      ) : (
        <EmptyState icon={ScrollText} title={t('audit.none')}>
          {t('audit.noneText')}
        </EmptyState>
      )}
      <Pagination nextCursor={page.nextCursor} label={t('audit.listed')} />
    </>
  );
}

type Row = Omit<AuditEntryView, 'data' | 'at'> & { at: Date | string; data?: unknown };

function EntryTable({ entries }: { entries: readonly Row[] }) {
  const t = useT(operationsTexts);
  return (
    <DataTable
      label={t('audit.table')}
      rows={entries}
      rowKey={({ id }) => id}
      columns={[
        { head: t('audit.action'), primary: true, cell: ({ action }) => <Code>{action}</Code> },
        { head: t('audit.at'), cell: ({ at }) => <TimeAgo at={at} style="absolute" /> },
        {
          head: t('audit.who'),
          cell: ({ actorId, actorEmail }) =>
            actorId ? (
              <Anchor component={Link} to={`/admin/users/${actorId}`}>
                {actorEmail ?? actorId}
              </Anchor>
            ) : (
              t('commandLine')
            ),
        },
        { head: t('audit.subject'), cell: (entry) => <SubjectLink {...entry} /> },
        {
          head: t('audit.reason'),
          cell: ({ reason }) => <div className={classes.text}>{reason ?? '–'}</div>,
        },
        {
          head: t('audit.data'),
          cell: ({ data }) =>
            data === null || data === undefined ? (
              '–'
            ) : (
              <details className={classes.details}>
                <summary>{t('audit.show')}</summary>
                <pre>{JSON.stringify(data, null, 2)}</pre>
              </details>
            ),
        },
      ]}
    />
  );
}
