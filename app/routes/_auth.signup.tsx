import { getFormProps } from '@conform-to/react';
import { Anchor, Stack, Text } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, Link, useLoaderData, useLocation } from '@remix-run/react';
import { Trans } from 'react-i18next';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { constraintOf, runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { nextPage } from '#app/lib/safe-redirect.ts';
import { useLateZodForm } from '#app/lib/use-late-zod-form.ts';
import { accountTexts } from '#app/locales/account.ts';
import { type SignUpInput, signUpInput } from '#server/auth/schemas.ts';
import { MIN_PASSWORD_CHARACTERS } from '#server/auth/shared.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('signup.title')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  if (context.user) throw redirect(nextPage(request.url));
  return { constraint: constraintOf(signUpInput) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'signup',
    schema: signUpInput,
    secrets: ['password'],
    run: async (input) => {
      await context.trpc.auth.signUp(input);
      return redirect(nextPage(request.url));
    },
  });
}

export default function SignUp() {
  const t = useT(accountTexts);
  const { search } = useLocation();
  const invite = new URLSearchParams(search).get('invite')?.slice(0, 20);
  const { constraint } = useLoaderData<typeof loader>();
  const { form, fields, onFocus } = useLateZodForm<SignUpInput>('signup', {
    constraint,
    loadCheck: async () => (await import('#app/lib/account-checks.ts')).checkSignUp,
    defaultValue: { inviteCode: invite },
  });
  return (
    <>
      <PageHeader title={t('signup.title')} edge={t('signup.edge')}>
        {t('signup.lead')}
      </PageHeader>
      <Form method="post" {...getFormProps(form)} onFocus={onFocus}>
        <Stack>
          <FormErrors form={form} />
          <TextField field={fields.displayName} label={t('signup.name')} autoComplete="name" size="md" />
          <TextField
            field={fields.email}
            type="email"
            label={t('signup.email')}
            autoComplete="username"
            size="md"
          />
          <PasswordField
            field={fields.password}
            label={t('signup.password')}
            description={t('signup.passwordHelp', { count: MIN_PASSWORD_CHARACTERS })}
            autoComplete="new-password"
            size="md"
          />
          {invite ? (
            <TextField
              field={fields.inviteCode}
              label={t('signup.invite')}
              description={t('signup.inviteHelp')}
              autoComplete="off"
              spellCheck={false}
              size="md"
            />
          ) : null}
          <SubmitButton size="md">{t('signup.do')}</SubmitButton>
          <Text size="sm">
            <Trans
              t={t}
              i18nKey="signup.haveAccount"
              components={{ a: <Anchor component={Link} to={`/login${search}`} underline="always" /> }}
            />
          </Text>
        </Stack>
      </Form>
    </>
  );
}
