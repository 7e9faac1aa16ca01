import type { ActionFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData } from '@remix-run/react';
import { PasswordPanel } from '#app/components/settings/password-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { accountTexts } from '#app/locales/account.ts';
import { changePasswordInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('password.title')} · Sidelane` },
];

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'change-password',
    schema: changePasswordInput,
    secrets: ['password', 'newPassword'],
    run: (input) => context.trpc.auth.changePassword(input),
  });
}

export default function PasswordPage() {
  const answer = useActionData<typeof action>();
  const t = useT(accountTexts);
  return (
    <>
      <PageHeader title={t('password.title')} edge={t('settings.edge')}>
        {t('password.lead')}
      </PageHeader>
      <PasswordPanel endedSessions={answer && 'endedSessions' in answer ? answer.endedSessions : null} />
    </>
  );
}
