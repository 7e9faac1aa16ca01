import { Button } from '@mantine/core';
import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { type ClientActionFunctionArgs, Link, useActionData, useLoaderData } from '@remix-run/react';
import { FolderOpen, Images, Star, Trash2 } from 'lucide-react';
import { ArchiveLink } from '#app/components/library/archive-link.tsx';
import { LibraryFilters } from '#app/components/library/library-filters.tsx';
import { compareHref, GridHeading, LibraryGrid } from '#app/components/library/library-grid.tsx';
import { LibraryNav } from '#app/components/library/library-nav.tsx';
import { isFiltered, libraryHref, libraryQuery } from '#app/components/library/library-query.ts';
import { readLibraryCursor, readLibraryFilter } from '#app/components/library/read-library-query.server.ts';
import { runSelection, type SelectionReply } from '#app/components/library/selection-intents.ts';
import { StorageMeter } from '#app/components/library/storage-meter.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Pagination } from '#app/components/ui/pagination.tsx';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { libraryTexts } from '#app/locales/library.ts';
import type { LibraryFilter } from '#server/library/schemas.ts';
import { TRASH_DAYS } from '#server/library/shared.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${libraryTexts.in(languageOf(matches))('title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  const filter = readLibraryFilter(searchParams);
  const cursor = readLibraryCursor(searchParams);
  const { library } = context.trpc;
  const { trash, ...list } = filter;
  const [page, choices, storage, archive] = await loadOrThrow(
    request,
    Promise.all([
      library.list({ ...filter, cursor, limit: 48 }),
      library.choices(),
      library.storage(),
      // The whole library is rarely what somebody wants to take away; a list of it often is.
      !trash && isFiltered(list) ? library.archive(list) : null,
    ]),
  );
  return { page, choices, filter, cursor, storage, archive };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { reply, status } = await runSelection(await request.formData(), context.trpc.library);
  // A page without scripts; with them the comparison is opened by the page.
  if ('compare' in reply && request.headers.get('sec-fetch-dest') === 'document')
    throw redirect(compareHref(reply.compare), 303);
  return data<SelectionReply>(reply, status);
}

/** An answer that never arrives is said in place: everything here can be sent again. */
export async function clientAction({
  request,
  serverAction,
}: ClientActionFunctionArgs): Promise<SelectionReply> {
  try {
    return await serverAction<SelectionReply>();
  } catch (error) {
    if (error instanceof Response || request.signal.aborted) throw error;
    return { error: 'lost' };
  }
}

export default function Library() {
  const { page, choices, filter, cursor, storage, archive } = useLoaderData<typeof loader>();
  const reply = useActionData<SelectionReply>();
  const t = useT(libraryTexts);
  const query = libraryQuery(filter);
  const collection = choices.collections.find(({ id }) => id === filter.collection);
  const action = `/library?index${query.replace('?', '&')}${cursor ? `&cursor=${cursor}` : ''}`;
  return (
    <>
      <PageHeader
        title={filter.trash ? t('nav.trash') : (collection?.name ?? t('title'))}
        edge={filter.trash || collection ? t('title') : null}
        actions={<StorageMeter storage={storage} />}
      >
        {filter.trash ? t('empty.trashText', { count: TRASH_DAYS }) : t('lead')}
      </PageHeader>
      <LibraryNav />
      <LibraryFilters filter={filter} choices={choices} />
      <GridHeading />
      {archive ? <ArchiveLink filter={filter} archive={archive} /> : null}
      <LibraryGrid
        key={query}
        items={page.items}
        filter={filter}
        collections={choices.collections}
        action={action}
        reply={reply}
        empty={<NothingHere filter={filter} />}
      />
      <Pagination nextCursor={page.nextCursor} label={t('files')} />
    </>
  );
}

function NothingHere({ filter }: { filter: LibraryFilter }) {
  const t = useT(libraryTexts);
  const { trash, favorite, collection, ...others } = filter;
  if (isFiltered(others)) {
    return (
      <EmptyState
        icon={Images}
        title={t('empty.filtered')}
        action={
          <Button component={Link} to={libraryHref({ trash, favorite, collection })} variant="default">
            {t('filters.clear')}
          </Button>
        }
      >
        {t('empty.filteredText')}
      </EmptyState>
    );
  }
  if (trash) {
    return (
      <EmptyState icon={Trash2} title={t('empty.trash')}>
        {t('empty.trashText', { count: TRASH_DAYS })}
      </EmptyState>
    );
  }
  if (favorite) {
    return (
      <EmptyState icon={Star} title={t('empty.favorites')}>
        {t('empty.favoritesText')}
      </EmptyState>
    );
  }
  if (collection) {
    return (
      <EmptyState icon={FolderOpen} title={t('empty.collection')}>
        {t('empty.collectionText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Images}
      title={t('empty.title')}
      action={
        <Button component={Link} to="/workbench">
          {t('empty.action')}
        </Button>
      }
    >
      {t('empty.text')}
    </EmptyState>
  );
}
