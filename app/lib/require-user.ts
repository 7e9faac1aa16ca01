import { type AppLoadContext, redirect } from '@remix-run/node';
import type { SignedInUser } from '#server/trpc/context.ts';
import { loginPath } from './safe-redirect.ts';

/**
 * The signed-in user, for loaders that show them. Access itself is decided by the procedures.
 *
 * @throws Response a redirect to sign in and back
 */
export function requireUser(context: AppLoadContext, request: Request): SignedInUser {
  if (!context.user) throw redirect(loginPath(request.url));
  return context.user;
}

/**
 * The signed-in administrator.
 *
 * @throws Response a redirect to sign in, or the 404 of an unknown page for everyone else
 */
export function requireAdmin(context: AppLoadContext, request: Request): SignedInUser {
  const user = requireUser(context, request);
  if (user.role !== 'admin') throw new Response('There is no such page.', { status: 404 });
  return user;
}
