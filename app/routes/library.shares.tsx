import { Anchor } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, Link, useLoaderData } from '@remix-run/react';
import { Link2 } from 'lucide-react';
import classes from '#app/components/library/library.module.css';
import { LibraryNav } from '#app/components/library/library-nav.tsx';
import { shorten } from '#app/components/media/output-player.tsx';
import { ActionErrors } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readCursor } from '#app/lib/read-query.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import { type ShareListItem, shareIdInput } from '#server/library/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${libraryTexts.in(languageOf(matches))('shares.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const cursor = readCursor(request.url);
  const page = await loadOrThrow(request, context.trpc.shares.list({ cursor, limit: 30 }));
  return { page, origin: new URL(request.url).origin };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'revoke-share',
    schema: shareIdInput,
    run: (input) => context.trpc.shares.revoke(input),
  });
}

export default function Shares() {
  const { page, origin } = useLoaderData<typeof loader>();
  const t = useT(libraryTexts);
  return (
    <>
      <PageHeader title={t('shares.title')} edge={t('title')}>
        {t('shares.lead')}
      </PageHeader>
      <LibraryNav />
      <ActionErrors intents={['revoke-share']} />
      {page.items.length > 0 ? (
        <Panel flush>
          <ShareTable shares={page.items} origin={origin} />
        </Panel>
      ) : (
        <EmptyState icon={Link2} title={t('shares.empty')}>
          {t('shares.emptyText')}
        </EmptyState>
      )}
      <Pagination nextCursor={page.nextCursor} label={t('shares.list')} />
    </>
  );
}

function ShareTable({ shares, origin }: { shares: readonly ShareListItem[]; origin: string }) {
  const t = useT(libraryTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('shares.table')}
      rows={shares}
      rowKey={({ id }) => id}
      columns={[
        {
          head: t('shares.file'),
          primary: true,
          cell: ({ outputId, output }) => (
            <span className={classes.shareCell}>
              {output.previewUrl ? (
                <img src={output.previewUrl} alt="" width={40} height={40} loading="lazy" />
              ) : null}
              <Anchor component={Link} to={`/library/${outputId}`}>
                {t(`kind.${output.kind}`)}: {shorten(output.prompt, 60)}
              </Anchor>
            </span>
          ),
        },
        { head: t('shares.state'), cell: ({ state }) => t(`share.state.${state}`) },
        {
          head: t('shares.ends'),
          cell: ({ expiresAt }) =>
            expiresAt ? <TimeAgo at={expiresAt} style="absolute" /> : t('shares.never'),
        },
        { head: t('shares.opened'), align: 'end', cell: ({ views }) => format.integer(views) },
        {
          head: t('shares.address'),
          cell: ({ state, path, output }) =>
            state === 'open' ? (
              <CopyField
                label={`${t('shares.address')}: ${shorten(output.prompt, 40)}`}
                value={`${origin}${path}`}
              />
            ) : (
              '–'
            ),
        },
        {
          head: t('shares.actions'),
          cell: ({ id, state, output }) =>
            state === 'revoked' ? null : (
              <Form method="post" preventScrollReset>
                <input type="hidden" name="shareId" value={id} />
                <ConfirmButton
                  size="compact-sm"
                  variant="default"
                  confirmLabel={t('share.revokeYes')}
                  aria-label={`${t('share.revoke')}: ${shorten(output.prompt, 40)}`}
                >
                  {t('share.revoke')}
                </ConfirmButton>
              </Form>
            ),
        },
      ]}
    />
  );
}
