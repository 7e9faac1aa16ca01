import { type ActionFunctionArgs, redirect } from '@remix-run/node';
import { safeRedirect } from '#app/lib/safe-redirect.ts';
import { isLanguage, languageCookie } from '#app/locales/languages.ts';

export function loader() {
  return redirect('/');
}

/** Chooses the language of pages: of this browser, and of the person when somebody is signed in. */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const language = form.get('language');
  if (!isLanguage(language)) {
    throw new Response('This language is not there. Reload the page and try again.', { status: 400 });
  }
  if (context.user) await context.trpc.auth.setLanguage({ language });
  return redirect(safeRedirect(form.get('next'), '/'), {
    headers: { 'set-cookie': languageCookie(language) },
  });
}
