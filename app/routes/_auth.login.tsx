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
import { type SignInInput, signInInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('login.title')} · Sidelane` },
];

export function loader({ request, context }: LoaderFunctionArgs) {
  if (context.user) throw redirect(nextPage(request.url));
  return { constraint: constraintOf(signInInput) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'login',
    schema: signInInput,
    secrets: ['password'],
    run: async (input) => {
      const { role } = await context.trpc.auth.signIn(input);
      const next = nextPage(request.url);
      // It leads on to the workbench unless there is no channel yet.
      return redirect(role === 'admin' && next === '/workbench' ? '/admin/setup?first' : next);
    },
  });
}

export default function Login() {
  const t = useT(accountTexts);
  const { search } = useLocation();
  const closed = new URLSearchParams(search).has('closed');
  const { constraint } = useLoaderData<typeof loader>();
  const { form, fields, onFocus } = useLateZodForm<SignInInput>('login', {
    constraint,
    loadCheck: async () => (await import('#app/lib/account-checks.ts')).checkSignIn,
  });
  return (
    <>
      {closed ? (
        <PageHeader title={t('login.closedTitle')} edge={t('login.closedEdge')}>
          {t('login.closedLead')}
        </PageHeader>
      ) : (
        <PageHeader title={t('login.title')} edge={t('login.edge')}>
          {t('login.lead')}
        </PageHeader>
      )}
      <Form method="post" {...getFormProps(form)} onFocus={onFocus}>
        <Stack>
          <FormErrors form={form} />
          <TextField
            field={fields.email}
            type="email"
            label={t('login.email')}
            autoComplete="username"
            size="md"
          />
          <PasswordField
            field={fields.password}
            label={t('login.password')}
            autoComplete="current-password"
            size="md"
          />
          <SubmitButton size="md">{t('login.do')}</SubmitButton>
          <Text size="sm">
            <Trans
              t={t}
              i18nKey="login.noAccount"
              components={{
                a: (
                  <Anchor component={Link} to={closed ? '/signup' : `/signup${search}`} underline="always" />
                ),
              }}
            />
          </Text>
        </Stack>
      </Form>
    </>
  );
}
