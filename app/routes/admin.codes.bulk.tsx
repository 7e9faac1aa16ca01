import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { BulkPage } from '#app/components/admin/lists/bulk-page.tsx';
import { MoneyBadge } from '#app/components/admin/money/money-badge.tsx';
import { readBulk, runBulkForm } from '#app/lib/bulk.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import { MOST_BULK } from '#server/lib/schemas.ts';

const DEEDS = ['revoke'] as const;

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminListsTexts.in(languageOf(matches))('codes.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { deed, ids, back } = readBulk(request.url, DEEDS);
  const page = await loadOrThrow(request, context.trpc.adminRedeem.list({ ids, limit: MOST_BULK }));
  return { deed, back, items: page.items };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runBulkForm(request, DEEDS, ({ ids, reason }) =>
    context.trpc.adminRedeem.revokeMany({ batchIds: ids, reason }),
  );
}

export default function BulkBatches() {
  const { deed, back, items } = useLoaderData<typeof loader>();
  const t = useT(adminListsTexts);
  return (
    <BulkPage
      deed={deed && `codes.deeds.${deed}`}
      destructive
      edge={t('codes.title')}
      back={`/admin/codes${back}`}
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
