import { type LoaderFunctionArgs, redirect } from '@remix-run/node';
import { isUuid } from '#app/lib/read-query.ts';
import { requireUser } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';

/** Leads to the page that a notification is about; it counts as read from then on. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  requireUser(context, request);
  const notificationId = params.notificationId ?? '';
  if (!isUuid(notificationId)) throw new Response('There is no such notification.', { status: 404 });
  const { path } = await loadOrThrow(request, context.trpc.notifications.open({ notificationId }));
  return redirect(path);
}
