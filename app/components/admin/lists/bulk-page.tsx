import { getFormProps } from '@conform-to/react';
import { Button, Stack } from '@mantine/core';
import { Form, Link, useActionData } from '@remix-run/react';
import { ArrowLeft, CircleCheck, CircleX, ListChecks } from 'lucide-react';
import type { ReactNode } from 'react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, SubmitButton, TextareaField } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { BULK_FORM, bulkReasonForm, readReport } from '#app/lib/bulk.ts';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import type { BulkReport } from '#server/lib/schemas.ts';
import classes from './lists.module.css';

type BulkRow = { id: string; what: ReactNode; note?: ReactNode; state?: ReactNode };

/** What can be done to chosen rows, by the place of its title, explanation and button in the texts. */
type BulkDeed =
  | `tasks.deeds.${'cancel' | 'wake' | 'fail' | 'retry_refund'}`
  | `people.deeds.${'disable' | 'enable'}`
  | 'orders.deeds.close'
  | `refunds.deeds.${'retry' | 'void'}`
  | `moneyRefunds.deeds.${'retry' | 'paid' | 'give_up'}`
  | 'codes.deeds.revoke'
  | 'invites.deeds.void';

type BulkPageProps = {
  /** Null: nothing was chosen to do. */
  deed: BulkDeed | null;
  /** Whether it takes something away. */
  destructive?: boolean;
  edge: string;
  /** The list, as it was left. */
  back: string;
  rows: readonly BulkRow[];
};

/**
 * Asks once more before something is done to many rows, shows each of them, and tells afterwards what became of each.
 * Works without a script.
 */
export function BulkPage({ deed, destructive = false, edge, back, rows }: BulkPageProps) {
  const t = useT(adminListsTexts);
  const report = readReport(useActionData());
  const leave = (
    <Button
      component={Link}
      to={back}
      variant="default"
      leftSection={<ArrowLeft size={16} aria-hidden="true" />}
    >
      {t('bulk.back')}
    </Button>
  );
  if (deed === null || rows.length === 0) {
    return (
      <>
        <PageHeader title={t('bulk.nothing')} edge={edge} />
        <EmptyState icon={ListChecks} title={t('bulk.nothingChosen')} action={leave}>
          {t('bulk.nothingHelp')}
        </EmptyState>
      </>
    );
  }
  const title = t(`${deed}.title`);
  const button = t(`${deed}.button`, { count: rows.length });
  return (
    <>
      <PageHeader title={title} edge={edge}>
        {t(`${deed}.explain`)}
      </PageHeader>
      <div role="status" className={classes.outcome}>
        {report ? <Outcome report={report} /> : null}
      </div>
      <Stack gap="xl">
        <Panel flush>
          <RowTable rows={rows} report={report} />
        </Panel>
        {report ? (
          <div>{leave}</div>
        ) : (
          <Confirm title={title} button={button} destructive={destructive} leave={leave} />
        )}
      </Stack>
    </>
  );
}

function Outcome({ report: { results } }: { report: BulkReport }) {
  const t = useT(adminListsTexts);
  const done = results.filter(({ ok }) => ok).length;
  const refused = results.length - done;
  return (
    <Notice tone={refused > 0 ? 'warning' : undefined} title={t('bulk.done', { count: done })}>
      {refused > 0 ? t('bulk.refused', { count: refused }) : t('bulk.audited')}
    </Notice>
  );
}

function RowTable({ rows, report }: { rows: readonly BulkRow[]; report: BulkReport | null }) {
  const t = useT(adminListsTexts);
  const results = new Map(report?.results.map((result) => [result.id, result]));
  return (
    <DataTable
      label={t('bulk.rows')}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          head: t('bulk.row'),
          primary: true,
          cell: ({ what, note }) => (
            <div className={classes.row}>
              {what}
              {note ? <span className={classes.note}>{note}</span> : null}
            </div>
          ),
        },
        { head: t('bulk.state'), cell: ({ state }) => state },
        ...(report
          ? [
              {
                head: t('bulk.outcome'),
                cell: ({ id }: BulkRow) => <RowOutcome result={results.get(id)} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function RowOutcome({ result }: { result: BulkReport['results'][number] | undefined }) {
  const t = useT(adminListsTexts);
  if (!result) return null;
  return (
    <div className={classes.row}>
      <ToneBadge tone={result.ok ? 'good' : 'bad'} icon={result.ok ? CircleCheck : CircleX}>
        {result.ok ? t('bulk.rowDone') : t('bulk.rowRefused')}
      </ToneBadge>
      {result.message ? <span className={classes.note}>{result.message}</span> : null}
    </div>
  );
}

function Confirm({
  button,
  title,
  destructive,
  leave,
}: {
  button: string;
  title: string;
  destructive: boolean;
  leave: ReactNode;
}) {
  const t = useT(adminListsTexts);
  const [form, fields] = useZodForm(BULK_FORM, bulkReasonForm);
  return (
    <Panel>
      <Form method="post" {...getFormProps(form)} aria-label={title}>
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <TextareaField
            field={fields.reason}
            label={t('bulk.why')}
            description={t('bulk.kept')}
            autosize
            minRows={2}
          />
          <div className={classes.end}>
            <SubmitButton color={destructive ? 'red.9' : undefined}>{button}</SubmitButton>
            {leave}
          </div>
        </Stack>
      </Form>
    </Panel>
  );
}
