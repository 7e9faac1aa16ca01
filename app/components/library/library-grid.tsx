import { useFetcher, useNavigate } from '@remix-run/react';
import {
  type FormEvent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useT } from '#app/lib/language.tsx';
import { libraryTexts } from '#app/locales/library.ts';
import type { CollectionView, LibraryFilter, LibraryItem } from '#server/library/schemas.ts';
import classes from './library.module.css';
import { outputHref } from './library-query.ts';
import { LibraryTile } from './library-tile.tsx';
import { SelectionBar } from './selection-bar.tsx';
import type { SelectionReply } from './selection-intents.ts';
import { SelectionNotice } from './selection-notice.tsx';
import { useSelection } from './use-selection.ts';

const LibraryViewer = lazy(() => import('./library-viewer.tsx'));

type LibraryGridProps = {
  items: readonly LibraryItem[];
  filter: LibraryFilter;
  collections: readonly CollectionView[];
  /** Address of the list, to which its form posts. */
  action: string;
  /** Answer of a form that was sent without a script. */
  reply: SelectionReply | undefined;
  /** In the place of files when there are none. */
  empty: ReactNode;
};

/** The files of the library with boxes to choose them. One plain form around all of them: it works without a script. */
export function LibraryGrid({ items: loaded, filter, collections, action, reply, empty }: LibraryGridProps) {
  const fetcher = useFetcher<SelectionReply>({ key: 'library-selection' });
  const items = withStars(loaded, fetcher.formData);
  const { chosen, isReady, choose, chooseAll, isChosen } = useSelection(loaded.map(({ id }) => id));
  const [openId, setOpenId] = useState<string | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const open = useCallback((id: string, link: HTMLElement) => {
    opener.current = link;
    setOpenId(id);
  }, []);
  // The dialog is gone by then, and with it what had the focus.
  useEffect(() => {
    if (openId === null) opener.current?.focus();
  }, [openId]);
  const [closed, setClosed] = useState<SelectionReply | undefined>();
  const answer = fetcher.data ?? reply;
  useComparison(fetcher);
  useClearedSelection(fetcher.data, () => chooseAll(false));

  const send = useCallback(
    (event: FormEvent<HTMLFormElement>) => {
      const button = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null;
      // The archive is a download of the browser's own.
      if (button?.hasAttribute('formaction')) return;
      event.preventDefault();
      fetcher.submit(button ?? event.currentTarget, { method: 'post', action });
    },
    [fetcher.submit, action],
  );
  const star = (item: LibraryItem) =>
    fetcher.submit(
      { intent: `${item.isFavorite ? 'unfavorite' : 'favorite'}:${item.id}` },
      { method: 'post', action },
    );

  return (
    <>
      {items.length === 0 ? empty : null}
      <form method="post" action={action} onSubmit={send} hidden={items.length === 0}>
        <SelectionBar
          filter={filter}
          collections={collections}
          chosen={isReady ? chosen.length : null}
          allChosen={chosen.length === items.length}
          onChooseAll={chooseAll}
        />
        <ul className={classes.grid}>
          {items.map((item) => (
            <LibraryTile
              key={item.id}
              item={item}
              href={outputHref(item.id, filter)}
              chosen={isChosen(item.id)}
              withStar={!filter.trash}
              onChoose={choose}
              onOpen={open}
            />
          ))}
        </ul>
      </form>
      <SelectionNotice
        reply={answer === closed ? undefined : answer}
        action={action}
        onSubmit={send}
        onClose={() => setClosed(answer)}
      />
      {openId === null ? null : (
        <Suspense>
          <LibraryViewer
            items={items}
            openId={openId}
            hrefOf={(id) => outputHref(id, filter)}
            onChange={setOpenId}
            onStar={filter.trash ? undefined : star}
          />
        </Suspense>
      )}
    </>
  );
}

/** Stars as they will be when the request under way is answered. */
function withStars(items: readonly LibraryItem[], form: FormData | undefined): readonly LibraryItem[] {
  const [intent, id] = String(form?.get('intent') ?? '').split(':');
  if (intent !== 'favorite' && intent !== 'unfavorite') return items;
  const ids = new Set(id ? [id] : form?.getAll('output').map(String));
  return items.map((item) => (ids.has(item.id) ? { ...item, isFavorite: intent === 'favorite' } : item));
}

/**
 * Goes to the comparison that was asked for; without a script the server redirects. Not before this page has loaded its
 * data anew: the router counts a load of a form as newer than a change of page that still asks the server for its route,
 * and would end that change on the routes of the page before.
 */
function useComparison({ data: reply, state }: { data: SelectionReply | undefined; state: string }): void {
  const navigate = useNavigate();
  const followed = useRef<SelectionReply | undefined>();
  useEffect(() => {
    if (state !== 'idle' || followed.current === reply) return;
    followed.current = reply;
    if (reply && 'compare' in reply) navigate(compareHref(reply.compare));
  }, [reply, state, navigate]);
}

export const compareHref = (ids: readonly string[]): string =>
  `/library/compare?${new URLSearchParams(ids.map((id) => ['output', id]))}`;

/** What was done with the chosen files is over with them; a single star is not. */
function useClearedSelection(reply: SelectionReply | undefined, clear: () => void): void {
  const isOver = reply && 'done' in reply && !reply.done.endsWith('avorite');
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per answer
  useEffect(() => {
    if (isOver) clear();
  }, [reply, isOver]);
}

/** The heading of the grid for screen readers. */
export function GridHeading() {
  const t = useT(libraryTexts);
  return <h2 className={classes.hidden}>{t('nav.files')}</h2>;
}
