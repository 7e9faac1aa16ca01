import type { AdminTasksInput } from '#server/generation/admin/schemas.ts';
import { TASK_SORTS } from '#server/generation/admin/schemas.ts';
import { STATUSES, TASK_KINDS } from '#server/generation/status.ts';
import { readListQuery } from './list-query.ts';
import { isUuid, readChoice, readText } from './read-query.ts';

/** Filters and order of the list of tasks, as its address has them. */
export function readTaskQuery(url: string): Omit<AdminTasksInput, 'limit' | 'ids'> {
  const id = (param: string) => {
    const text = readText(url, param, 40);
    return text && isUuid(text) ? text : undefined;
  };
  return {
    ...readListQuery(url, TASK_SORTS),
    who: readText(url, 'who') ?? '',
    upstreamId: readText(url, 'upstream') ?? '',
    prompt: readText(url, 'prompt') ?? '',
    status: readChoice(url, 'status', STATUSES),
    kind: readChoice(url, 'kind', TASK_KINDS),
    modelId: id('model'),
    channelId: id('channel'),
  };
}
