import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { readBatchesQuery } from '#app/lib/admin-money-lists.ts';
import { defineBulk, loadBulk, runBulk } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';

const DEEDS = ['revoke'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('codes.title')} · Sidelane` },
];

const BULK = defineBulk({
  deeds: DEEDS,
  filters: readBatchesQuery,
  list: (trpc, page) => trpc.adminRedeem.list(page),
  idOf: ({ id }) => id,
  run: (trpc, { ids, reason }) => trpc.adminRedeem.revokeMany({ batchIds: ids, reason }),
});

export async function loader(args: LoaderFunctionArgs) {
  return loadBulk(args, BULK);
}

export async function action(args: ActionFunctionArgs) {
  return runBulk(args, BULK);
}

export default function BulkBatches() {
  const { deed, back, items, matching } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `codes.deeds.${deed}`}
      destructive
      edge={t('codes.title')}
      back={`/admin/codes${back}`}
      matching={matching}
      rows={items.map((batch) => ({
        id: batch.id,
        what: (
          <Anchor component={Link} to={`/admin/codes/${batch.id}`}>
            {batch.title}
          </Anchor>
        ),
        note: t('codes.redeemedOf', { count: batch.redeemedCount, all: batch.codeCount }),
        state: <MoneyBadge of="batch" state={batch.state} />,
      }))}
    />
  );
}
