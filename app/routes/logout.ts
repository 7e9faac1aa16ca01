import { type ActionFunctionArgs, redirect } from '@remix-run/node';

/** Only a form can sign out: a link could be followed by a crawler or planted on another site. */
export function loader() {
  return redirect('/');
}

export async function action({ context }: ActionFunctionArgs) {
  await context.trpc.auth.signOut();
  return redirect('/login');
}
