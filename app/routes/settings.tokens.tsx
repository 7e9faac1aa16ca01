import { Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { ClientExamplePanel } from '#app/components/settings/client-example-panel.tsx';
import { type CreatedToken, TokensPanel } from '#app/components/settings/tokens-panel.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { accountTexts } from '#app/locales/account.ts';
import { createTokenInput, tokenIdInput } from '#server/auth/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${accountTexts.in(languageOf(matches))('tokens.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const tokens = await loadOrThrow(request, context.trpc.auth.tokens.list());
  return { tokens, origin: new URL(request.url).origin };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { tokens } = context.trpc.auth;
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
    default:
      throw unknownForm();
  }
}

export default function TokensPage() {
  const { tokens, origin } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(accountTexts);
  return (
    <>
      <PageHeader title={t('tokens.title')} edge={t('settings.edge')}>
        {t('tokens.lead')}
      </PageHeader>
      <Stack gap="xl">
        <TokensPanel tokens={tokens} created={answer && 'created' in answer ? answer.created : null} />
        <ClientExamplePanel origin={origin} />
      </Stack>
    </>
  );
}
