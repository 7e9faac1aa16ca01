import type { TaskPage, TaskView } from '#server/generation/schemas.ts';

/** What a list that grows downwards has loaded so far, newest first. */
export type Feed = {
  items: readonly TaskView[];
  nextCursor: string | null;
  /** The newest page holds nothing of this list any more: there are tasks between the two that nobody has loaded. */
  hasNewer: boolean;
};

export const startFeed = (page: TaskPage): Feed => ({ ...page, hasNewer: false });

/**
 * The newest page once more: new tasks come on top, known ones are renewed in their places, and none goes away, so that
 * what ends while it is looked at stays where it is.
 */
export function withNewestPage(feed: Feed, page: TaskPage): Feed {
  const known = new Set(feed.items.map(({ id }) => id));
  const meets = page.nextCursor === null || page.items.some(({ id }) => known.has(id));
  if (feed.items.length > 0 && !meets) return { ...feed, hasNewer: true };
  return {
    items: merge(feed.items, page.items),
    nextCursor: feed.items.length === 0 ? page.nextCursor : feed.nextCursor,
    hasNewer: false,
  };
}

/** The page after the last task. */
export function withNextPage(feed: Feed, page: TaskPage): Feed {
  return { ...feed, items: merge(feed.items, page.items), nextCursor: page.nextCursor };
}

/** Ids grow with time, so their order is that of the list. */
function merge(before: readonly TaskView[], more: readonly TaskView[]): TaskView[] {
  const byId = new Map(before.map((task) => [task.id, task]));
  for (const task of more) {
    const known = byId.get(task.id);
    if (!known || task.version >= known.version) byId.set(task.id, task);
  }
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
}
