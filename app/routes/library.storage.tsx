import { Anchor } from '@mantine/core';
import type { LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import classes from '#app/components/library/library.module.css';
import { LibraryNav } from '#app/components/library/library-nav.tsx';
import { StorageBar, storageParts } from '#app/components/library/storage-meter.tsx';
import { DataTable } from '#app/components/ui/data-table.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { libraryTexts } from '#app/locales/library.ts';
import { TRASH_DAYS } from '#server/library/shared.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${libraryTexts.in(languageOf(matches))('storage.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { storage: await loadOrThrow(request, context.trpc.library.storage()) };
}

export default function Storage() {
  const { storage } = useLoaderData<typeof loader>();
  const t = useT(libraryTexts);
  const format = useFormat();
  const names: Readonly<Record<string, string>> = {
    uploads: t('storage.uploads'),
    trash: t('storage.trash'),
    ...Object.fromEntries(storage.kinds.map(({ kind }) => [kind, t(`kinds.${kind}`)])),
  };
  const parts = storageParts(storage).map((sum) => ({ ...sum, name: names[sum.part] }));
  const shareOf = (bytes: number) => (storage.totalBytes === 0 ? 0 : (bytes / storage.totalBytes) * 100);
  return (
    <>
      <PageHeader title={t('storage.title')} edge={t('title')}>
        {t('storage.lead')}
      </PageHeader>
      <LibraryNav />
      <p className={classes.total}>
        {t('storage.total')}: {format.bytes(storage.totalBytes)}
      </p>
      {/* The table below says the same. */}
      <StorageBar storage={storage} />
      <Panel flush>
        <DataTable
          label={t('storage.table')}
          rows={parts}
          rowKey={({ part }) => part}
          columns={[
            { head: t('storage.what'), primary: true, cell: ({ name }) => name },
            { head: t('storage.files'), align: 'end', cell: ({ files }) => format.integer(files) },
            { head: t('storage.size'), align: 'end', cell: ({ bytes }) => format.bytes(bytes) },
            {
              head: t('storage.share'),
              align: 'end',
              cell: ({ bytes }) => t('viewer.zoomLevel', { percent: Math.round(shareOf(bytes)) }),
            },
          ]}
        />
      </Panel>
      <p className={classes.hint}>
        {t('storage.hint', { count: TRASH_DAYS })}{' '}
        <Anchor component={Link} to="/settings" underline="always">
          {t('storage.settings')}
        </Anchor>
      </p>
    </>
  );
}
