import { getFormProps } from '@conform-to/react';
import { Button, Code, Stack } from '@mantine/core';
import { Form, Link, useActionData } from '@remix-run/react';
import { ArrowLeft, CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, SubmitButton, TextareaField } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { BULK_FORM, bulkReasonForm, readReport } from '#app/lib/bulk.ts';
import { type MatchingReport, MOST_MATCHING } from '#app/lib/bulk-matching.ts';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
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
  /** Of everything that its filters find, `rows` are the first; null: `rows` were chosen. */
  matching: Matching | null;
  rows: readonly BulkRow[];
};

type Matching = { before: string; count: number; more: boolean };

/**
 * Asks once more before something is done to many rows, shows each of them, and tells afterwards what became of each.
 * Works without a script.
 */
export function BulkPage({ deed, destructive = false, edge, back, matching, rows }: BulkPageProps) {
  const t = useT(adminListsTexts);
  const answer = readReport(useActionData());
  const report = answer?.report ?? null;
  const left = answer?.matching?.next ?? null;
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
  if (deed === null || (rows.length === 0 && answer === null)) {
    return (
      <>
        <PageHeader title={t('bulk.nothing')} edge={edge}>
          {t('bulk.nothingHelp')}
        </PageHeader>
        {leave}
      </>
    );
  }
  const title = t(`${deed}.title`);
  const count = matching?.count ?? rows.length;
  const button = left === null ? t(`${deed}.button`, { count }) : t('bulk.goOnRest');
  return (
    <>
      <PageHeader title={title} edge={edge}>
        {t(`${deed}.explain`)}
      </PageHeader>
      <div role="status" className={classes.outcome}>
        {answer?.matching ? (
          <MatchingOutcome matching={answer.matching} />
        ) : report ? (
          <Outcome report={report} />
        ) : null}
      </div>
      <Stack gap="xl">
        {answer?.matching ? (
          <Refusals refusals={answer.report.results} />
        ) : (
          <>
            {matching ? <HowMany matching={matching} shown={rows.length} /> : null}
            <Panel flush>
              <RowTable rows={rows} report={report} />
            </Panel>
          </>
        )}
        {report && left === null ? (
          <div>{leave}</div>
        ) : (
          <Confirm
            // The next part is confirmed with the same reason.
            key={left ?? 'first'}
            title={title}
            button={button}
            destructive={destructive}
            leave={leave}
            place={matching && placeOf(matching, answer?.matching ?? null)}
          />
        )}
      </Stack>
    </>
  );
}

/** Where the next part begins and what came of those before it. */
function placeOf({ before }: Matching, report: MatchingReport | null): Record<string, string> {
  return {
    before: report?.next ?? before,
    done: String(report?.done ?? 0),
    refused: String(report?.refused ?? 0),
  };
}

function HowMany({ matching: { count, more }, shown }: { matching: Matching; shown: number }) {
  const t = useT(adminListsTexts);
  return (
    <Notice tone="warning" title={t('bulk.matching', { count })}>
      {more ? t('bulk.matchingMore', { most: MOST_MATCHING }) : t('bulk.matchingAll')}{' '}
      {count > shown ? t('bulk.matchingFirst', { count: shown }) : null}
    </Notice>
  );
}

function MatchingOutcome({ matching: { done, refused, next, capped } }: { matching: MatchingReport }) {
  const t = useT(adminListsTexts);
  return (
    <Notice
      tone={refused > 0 || next !== null || capped ? 'warning' : undefined}
      title={t('bulk.done', { count: done })}
    >
      {refused > 0 ? `${t('bulk.refusedOf', { count: refused })} ` : ''}
      {next === null
        ? capped
          ? t('bulk.capped', { most: MOST_MATCHING })
          : t('bulk.audited')
        : t('bulk.rest')}
    </Notice>
  );
}

/** Why rows were refused in the last part, as far as they are shown. */
function Refusals({ refusals }: { refusals: BulkReport['results'] }) {
  const t = useT(adminListsTexts);
  const words = useErrorWords();
  if (refusals.length === 0) return null;
  return (
    <Panel flush>
      <DataTable
        label={t('bulk.rowRefused')}
        rows={refusals}
        rowKey={({ id }) => id}
        columns={[
          { head: t('bulk.row'), primary: true, cell: ({ id }) => <Code>{id}</Code> },
          { head: t('bulk.outcome'), cell: ({ message }) => (message ? words([message]) : null) },
        ]}
      />
    </Panel>
  );
}

function Outcome({ report: { results } }: { report: BulkReport }) {
  const t = useT(adminListsTexts);
  const done = results.filter(({ ok }) => ok).length;
  const refused = results.length - done;
  return (
    <Notice tone={refused > 0 ? 'warning' : 'good'} title={t('bulk.done', { count: done })}>
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
      {result.message ? (
        <span className={classes.note}>
          <Refusal of={[result.message]} />
        </span>
      ) : null}
    </div>
  );
}

type ConfirmProps = {
  button: string;
  title: string;
  destructive: boolean;
  leave: ReactNode;
  /** Hidden fields that tell where to begin; null: the rows are in the address. */
  place: Record<string, string> | null;
};

function Confirm({ button, title, destructive, leave, place }: ConfirmProps) {
  const t = useT(adminListsTexts);
  const [form, fields] = useZodForm(BULK_FORM, bulkReasonForm);
  return (
    <Panel>
      <Form method="post" {...getFormProps(form)} aria-label={title}>
        {Object.entries(place ?? {}).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
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
