import { Button, Code, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { Download } from 'lucide-react';
import { DeedNotice } from '#app/components/admin/money/deed-notice.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { ReasonForm } from '#app/components/admin/money/reason-form.tsx';
import { UserLink } from '#app/components/admin/money/user-link.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { FactList } from '#app/components/ui/fact-list.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { isUuid, readCursor } from '#app/lib/read-query.ts';
import { runDeed, unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import { type BatchView, type CodeView, revokeBatchInput } from '#server/billing/redeem/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.batch.title ?? adminMoneyTexts.in(languageOf(matches))('codes.title')} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const batchId = params.batchId ?? '';
  if (!isUuid(batchId)) throw new Response('There is no such batch.', { status: 404 });
  const { adminRedeem } = context.trpc;
  const cursor = readCursor(request.url);
  const [batch, codes] = await loadOrThrow(
    request,
    Promise.all([adminRedeem.get({ batchId }), adminRedeem.codes({ batchId, cursor, limit: 50 })]),
  );
  return { batch, codes };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const intent = form.get('intent');
  if (intent !== 'revoke-batch') throw unknownForm();
  return runDeed(
    { request, form },
    {
      intent,
      idField: 'batchId',
      schema: revokeBatchInput,
      run: context.trpc.adminRedeem.revoke,
    },
  );
}

export default function Batch() {
  const t = useT(adminMoneyTexts);
  const { batch, codes } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader
        title={batch.title}
        edge={t('codes.title')}
        actions={
          <Button
            component="a"
            href={`/admin/codes/${batch.id}/codes.csv`}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden="true" />}
          >
            {t('csv')}
          </Button>
        }
      >
        <MoneyBadge of="batch" state={batch.state} />
      </PageHeader>
      <DeedNotice />
      <BatchFacts batch={batch} />
      <Stack gap="xl">
        <div>
          <Panel title={t('codes.theCodes')} id="the-codes" flush>
            <CodeTable codes={codes.items} />
          </Panel>
          <Pagination nextCursor={codes.nextCursor} label={t('codes.title')} />
        </div>
        {batch.revokedAt === null ? (
          <Panel title={t('codes.revoke')} id="revoke" description={t('codes.revokeHelp')}>
            <ReasonForm
              intent="revoke-batch"
              id={batch.id}
              values={{ batchId: batch.id }}
              label={t('codes.revokeOne', { title: batch.title })}
              button={t('codes.revoke')}
              confirm={t('codes.revokeIt')}
            />
          </Panel>
        ) : null}
      </Stack>
    </>
  );
}

function BatchFacts({ batch }: { batch: BatchView }) {
  const t = useT(adminMoneyTexts);
  const { credits, codeCount, redeemedCount, expiresAt, validDays, oncePerUser, revokedAt } = batch;
  const taken = revokedAt ?? expiresAt;
  return (
    <FactList
      facts={[
        {
          label: t('codes.redeemed'),
          value: t('codes.redeemedOf', { count: redeemedCount, all: codeCount }),
          help: oncePerUser ? t('codes.onePerPerson') : t('codes.severalPerPerson'),
        },
        {
          label: t('codes.creditsEach'),
          value: <CreditAmount credits={credits} />,
          help: validDays === null ? t('codes.neverExpire') : t('codes.expireAfter', { count: validDays }),
        },
        {
          label: revokedAt ? t('codes.revoked') : t('codes.takenUntil'),
          value: taken ? <TimeAgo at={taken} style="absolute" /> : t('codes.always'),
        },
      ]}
    />
  );
}

function CodeTable({ codes }: { codes: readonly CodeView[] }) {
  const t = useT(adminMoneyTexts);
  return (
    <DataTable
      label={t('codes.title')}
      rows={codes}
      rowKey={(code) => code.id}
      columns={[
        { head: t('codes.code'), primary: true, cell: ({ code }) => <Code>{code}</Code> },
        {
          head: t('codes.redeemedBy'),
          cell: ({ redeemedBy, redeemedByEmail }) =>
            redeemedBy ? (
              <UserLink userId={redeemedBy} email={redeemedByEmail ?? redeemedBy} />
            ) : (
              t('codes.nobody')
            ),
        },
        {
          head: t('codes.redeemed'),
          cell: ({ redeemedAt }) => (redeemedAt ? <TimeAgo at={redeemedAt} style="both" /> : '–'),
        },
      ]}
    />
  );
}
