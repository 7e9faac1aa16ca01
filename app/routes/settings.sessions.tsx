import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useLoaderData } from '@remix-run/react';
import { z } from 'zod';
import { SessionsPanel } from '#app/components/settings/sessions-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { accountTexts } from '#app/locales/account.ts';
import { sessionIdInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('sessions.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  return { sessions: await loadOrThrow(request, context.trpc.auth.sessions.list()) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { sessions } = context.trpc.auth;
  switch (form.get('intent')) {
    case 'revoke-session':
      return runForm(request, form, {
        name: 'revoke-session',
        schema: sessionIdInput,
        run: (input) => sessions.revoke(input),
      });
    case 'revoke-others':
      return runForm(request, form, {
        name: 'revoke-others',
        schema: z.object({}),
        run: () => sessions.revokeOthers(),
      });
    default:
      throw unknownForm();
  }
}

export default function SessionsPage() {
  const { sessions } = useLoaderData<typeof loader>();
  const t = useT(accountTexts);
  return (
    <>
      <PageHeader title={t('sessions.title')} edge={t('settings.edge')}>
        {t('sessions.lead')}
      </PageHeader>
      <SessionsPanel sessions={sessions} />
    </>
  );
}
