import type { LoaderFunctionArgs } from '@remix-run/node';
import { data } from '@remix-run/node';
import type { FeedReply } from '#app/components/task-list/use-feed.ts';
import { OLDER_PAGE_SIZE, readWorkbenchQuery } from '#app/components/task-list/workbench-query.ts';
import { readTrpcError } from '#app/lib/trpc-errors.ts';

/** Older tasks for the list of the workbench, which shows them below those it has. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { kind, state, cursor } = readWorkbenchQuery(new URL(request.url).searchParams);
  try {
    const page = await context.trpc.generation.list({ kind, state, cursor, limit: OLDER_PAGE_SIZE });
    return data<FeedReply>({ page });
  } catch (error) {
    const view = readTrpcError(error);
    if (!view) context.reportError?.(error);
    return data<FeedReply>({ error: view?.message ?? '' }, view?.status ?? 500);
  }
}
