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
import { MIN_PASSWORD_CHARACTERS, signUpInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Create an account · Sidelane' }];

export function loader({ request, context }: LoaderFunctionArgs) {
  return context.user ? redirect(nextPage(request.url)) : null;
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
  const { search } = useLocation();
  const [form, fields] = useZodForm('signup', signUpInput);
  return (
    <>
      <PageHeader title="Create an account" edge="New roll">
        Submit a generation, close the tab, come back to the result.
      </PageHeader>
      <Form method="post" {...getFormProps(form)}>
        <Stack>
          <FormErrors form={form} />
          <TextField field={fields.displayName} label="Name" autoComplete="name" size="md" />
          <TextField field={fields.email} type="email" label="E-mail" autoComplete="username" size="md" />
          <PasswordField
            field={fields.password}
            label="Password"
            description={`At least ${MIN_PASSWORD_CHARACTERS} characters. A short sentence is easier to remember.`}
            autoComplete="new-password"
            size="md"
          />
          <SubmitButton size="md">Create account</SubmitButton>
          <Text size="sm">
            Have an account already?{' '}
            <Anchor component={Link} to={`/login${search}`} underline="always">
              Sign in
            </Anchor>
          </Text>
        </Stack>
      </Form>
    </>
  );
}
