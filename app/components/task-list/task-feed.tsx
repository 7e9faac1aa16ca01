import { Button } from '@mantine/core';
import { useSearchParams } from '@remix-run/react';
import { Images } from 'lucide-react';
import { memo } from 'react';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { useT } from '#app/lib/language.tsx';
import { useTaskWatch } from '#app/lib/use-task-watch.ts';
import { tasksTexts } from '#app/locales/tasks.ts';
import type { TaskPage } from '#server/generation/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';
import { CancelAll } from './cancel-all.tsx';
import { FeedEnd } from './feed-end.tsx';
import { FeedItem } from './feed-item.tsx';
import { LiveNote } from './live-note.tsx';
import { TaskFilters } from './task-filters.tsx';
import classes from './task-list.module.css';
import { useEndAnnouncer } from './use-end-announcer.tsx';
import { useFeed } from './use-feed.ts';
import { listQuery, readWorkbenchQuery, type WorkbenchQuery, workbenchHref } from './workbench-query.ts';

/** From so many cards on, those far from the window leave the page and keep their places. */
const RESTS_FROM = 60;

/** The workbench's list of tasks: live, growing downwards, with new ones on top. `page` is the loader's. */
export const TaskFeed = memo(function TaskFeed({ page, requestKey }: { page: TaskPage; requestKey: string }) {
  const t = useT(tasksTexts);
  const [params] = useSearchParams();
  const query = readWorkbenchQuery(params);
  const feed = useFeed(page, listQuery(query));
  const { onEnd, announcer } = useEndAnnouncer();
  const { tasks, state } = useTaskWatch(feed.items, onEnd);
  const returnTo = workbenchHref(params, {});

  return (
    <section className={classes.feed} aria-labelledby="tasks-heading" id="tasks">
      <div className={classes.feedHead}>
        <h2 id="tasks-heading" className={classes.feedTitle}>
          {t('list.title')}
        </h2>
        <LiveNote state={state} />
        <div className={classes.feedActions}>
          <CancelAll active={tasks.some(({ status }) => !isTerminal(status))} />
        </div>
      </div>
      <TaskFilters query={query} params={params} />
      {feed.hasNewer ? (
        <p role="status" className={classes.newer}>
          {t('list.newer')}{' '}
          <Button variant="default" size="compact-sm" onClick={feed.startOver}>
            {t('list.showNewer')}
          </Button>
        </p>
      ) : null}
      {tasks.length === 0 ? (
        <NothingHere filtered={isFiltered(query)} />
      ) : (
        <ul className={classes.list}>
          {tasks.map((task) => (
            <FeedItem
              key={task.id}
              task={task}
              returnTo={returnTo}
              requestKey={requestKey}
              mayRest={tasks.length > RESTS_FROM}
            />
          ))}
        </ul>
      )}
      <FeedEnd
        state={feed.state}
        olderHref={feed.nextCursor === null ? null : workbenchHref(params, { cursor: feed.nextCursor })}
        newestHref={query.cursor === undefined ? null : workbenchHref(params, { cursor: null })}
        loadMore={feed.loadMore}
      />
      {announcer}
    </section>
  );
});

/** A filter or a later page is chosen: an empty list says something else then. */
const isFiltered = ({ kind, state, cursor }: WorkbenchQuery) => Boolean(kind || state || cursor);

function NothingHere({ filtered }: { filtered: boolean }) {
  const t = useT(tasksTexts);
  const words = filtered ? 'emptyFiltered' : 'empty';
  return (
    <EmptyState icon={Images} title={t(`list.${words}.title`)}>
      {t(`list.${words}.text`)}
    </EmptyState>
  );
}
