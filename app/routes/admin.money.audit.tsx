import { Button, Code, Stack } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData, useNavigation } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { Trans } from 'react-i18next';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminMoneyTexts.in(languageOf(matches))('books.title')} · Sidelane` },
];

/** Reads every account, hold, order and refund: slow on a large database, so nothing else waits for it. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  return { audit: await loadOrThrow(request, context.trpc.adminBilling.audit()) };
}

/** Checks are told apart by what they check, in English; a check of a newer release has no other name yet. */
const checkName = (t: TFunction<'adminMoney'>, check: string): string =>
  t(`books.checks.${check}` as 'books.checks.refunds and holds agree', { defaultValue: check });

export default function Audit() {
  const t = useT(adminMoneyTexts);
  const { checkedAt, checks, mismatches } = useLoaderData<typeof loader>().audit;
  const checking = useNavigation().state !== 'idle';
  return (
    <>
      <PageHeader
        title={t('books.title')}
        edge={t('books.edge')}
        actions={
          <>
            <Button component={Link} to="/admin/money" variant="default">
              {t('back')}
            </Button>
            <Form method="get">
              <Button type="submit" loading={checking}>
                {t('books.again')}
              </Button>
            </Form>
          </>
        }
      >
        <Trans t={t} i18nKey="books.lead" components={{ command: <Code>npm run audit</Code> }} />
      </PageHeader>
      <Stack gap="xl">
        {mismatches.length === 0 ? (
          <Notice tone="good" title={t('books.right')}>
            <p>
              {t('books.found', { count: checks.length })} <TimeAgo at={checkedAt} />
            </p>
          </Notice>
        ) : (
          <>
            <Notice tone="error" title={t('books.wrong', { count: mismatches.length })}>
              {t('books.wrongHelp')}
            </Notice>
            <Panel title={t('books.mismatches')} id="mismatches" flush>
              <DataTable
                label={t('books.mismatches')}
                rows={mismatches}
                rowKey={(mismatch) => `${mismatch.check} ${mismatch.id} ${mismatch.detail}`}
                columns={[
                  { head: t('books.what'), primary: true, cell: ({ detail }) => detail },
                  { head: t('books.check'), cell: ({ check }) => checkName(t, check) },
                  { head: t('books.row'), cell: ({ id }) => <Code>{id}</Code> },
                ]}
              />
            </Panel>
          </>
        )}
        <Panel title={t('books.checked')} id="checked">
          <ul>
            {checks.map((check) => (
              <li key={check}>{checkName(t, check)}</li>
            ))}
          </ul>
        </Panel>
      </Stack>
    </>
  );
}
