import { getFormProps } from '@conform-to/react';
import { Anchor, Stack, Text } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, Link, useLocation } from '@remix-run/react';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { nextPage } from '#app/lib/safe-redirect.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { signInInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Sign in · Sidelane' }];

export function loader({ request, context }: LoaderFunctionArgs) {
  return context.user ? redirect(nextPage(request.url)) : null;
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'login',
    schema: signInInput,
    secrets: ['password'],
    run: async (input) => {
      await context.trpc.auth.signIn(input);
      return redirect(nextPage(request.url));
    },
  });
}

export default function Login() {
  const { search } = useLocation();
  const [form, fields] = useZodForm('login', signInInput);
  return (
    <>
      <PageHeader title="Sign in" edge="Welcome back">
        Your tasks went on while you were away.
      </PageHeader>
      <Form method="post" {...getFormProps(form)}>
        <Stack>
          <FormErrors form={form} />
          <TextField field={fields.email} type="email" label="E-mail" autoComplete="username" size="md" />
          <PasswordField field={fields.password} label="Password" autoComplete="current-password" size="md" />
          <SubmitButton size="md">Sign in</SubmitButton>
          <Text size="sm">
            No account yet?{' '}
            <Anchor component={Link} to={`/signup${search}`} underline="always">
              Create one
            </Anchor>
          </Text>
        </Stack>
      </Form>
    </>
  );
}
