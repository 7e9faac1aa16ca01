import { Button, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Form, useActionData, useLoaderData } from '@remix-run/react';
import { LogOut } from 'lucide-react';
import { z } from 'zod';
import { SessionsPanel } from '#app/components/settings/sessions-panel.tsx';
import { type CreatedToken, TokensPanel } from '#app/components/settings/tokens-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { requireUser } from '#app/lib/require-user.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { createTokenInput, sessionIdInput, tokenIdInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = () => [{ title: 'Settings · Sidelane' }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const user = requireUser(context, request);
  const { sessions, tokens } = context.trpc.auth;
  const [sessionViews, tokenViews] = await loadOrThrow(
    request,
    Promise.all([sessions.list(), tokens.list()]),
  );
  return { user, sessions: sessionViews, tokens: tokenViews };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { sessions, tokens } = context.trpc.auth;
  switch (form.get('intent')) {
    case 'create-token':
      return runForm(request, form, {
        name: 'create-token',
        schema: createTokenInput,
        run: async (input) => {
          const { secret, token } = await tokens.create(input);
          return { created: { name: token.name, secret } satisfies CreatedToken };
        },
      });
    case 'revoke-token':
      return runForm(request, form, {
        name: 'revoke-token',
        schema: tokenIdInput,
        run: (input) => tokens.revoke(input),
      });
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
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}

export default function SettingsPage() {
  const { user, sessions, tokens } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const created = answer && 'created' in answer ? answer.created : null;
  return (
    <>
      <PageHeader
        title="Settings"
        edge={user.role === 'admin' ? 'Administrator' : 'Account'}
        actions={
          <Form method="post" action="/logout">
            <Button type="submit" variant="default" leftSection={<LogOut size={16} aria-hidden="true" />}>
              Sign out
            </Button>
          </Form>
        }
      >
        {user.displayName} · {user.email}
      </PageHeader>
      <Stack gap="xl">
        <TokensPanel tokens={tokens} created={created} />
        <SessionsPanel sessions={sessions} />
      </Stack>
    </>
  );
}
