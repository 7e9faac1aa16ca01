import type { LoaderFunctionArgs } from '@remix-run/node';
import type { Recent } from '#app/components/notifications/use-recent-notifications.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

const MOST = 8;

/** The latest ones, for the bell. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  if (!context.user) throw new Response(null, { status: 401 });
  const { notifications } = context.trpc;
  const [page, unread] = await loadOrThrow(
    request,
    Promise.all([notifications.list({ limit: MOST }), notifications.unreadCount()]),
  );
  return Response.json({ unread, items: page.items } satisfies Recent, {
    headers: { 'cache-control': 'no-store' },
  });
}
