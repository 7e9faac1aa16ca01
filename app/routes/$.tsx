import type { MetaFunction } from '@remix-run/node';
import { languageOf } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('notFound.title')} · Sidelane` },
];

/** Every address that no route knows. A loader of its own, so that the root's data is there for the error page. */
export function loader() {
  throw new Response('There is no such page. The address may have a typing error.', { status: 404 });
}

export function action() {
  throw new Response('There is no such page.', { status: 404 });
}

export default function NotFound() {
  return null;
}
