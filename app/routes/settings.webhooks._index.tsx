import { Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { useActionData, useLoaderData } from '@remix-run/react';
import { Webhook } from 'lucide-react';
import { EndpointTable } from '#app/components/notifications/webhooks/endpoint-table.tsx';
import { NewEndpointForm } from '#app/components/notifications/webhooks/new-endpoint-form.tsx';
import { SecretNotice } from '#app/components/notifications/webhooks/secret-notice.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { readChoice } from '#app/lib/read-query.ts';
import { unknownForm } from '#app/lib/run-deed.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { createEndpointInput } from '#server/notifications/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${notificationsTexts.in(languageOf(matches))('webhooks.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const endpoints = await loadOrThrow(request, context.trpc.webhookEndpoints.list());
  return { endpoints, removed: readChoice(request.url, 'removed', ['1']) === '1' };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  if (form.get('intent') !== 'create-endpoint') throw unknownForm();
  return runForm(request, form, {
    name: 'create-endpoint',
    schema: createEndpointInput,
    run: async (input) => {
      const { secret } = await context.trpc.webhookEndpoints.create(input);
      return { secret };
    },
  });
}

export default function WebhooksPage() {
  const { endpoints, removed } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const t = useT(notificationsTexts);
  const secret = answer && 'secret' in answer ? answer.secret : null;
  return (
    <>
      <PageHeader title={t('webhooks.title')} edge={t('webhooks.edge')}>
        {t('webhooks.lead')}
      </PageHeader>
      <Stack gap="xl">
        {secret ? <SecretNotice secret={secret} kind="ready" /> : null}
        {removed && !secret ? <Notice tone="good">{t('webhooks.removed')}</Notice> : null}
        <Panel title={t('webhooks.panel')} id="endpoints" flush={endpoints.length > 0}>
          {endpoints.length > 0 ? (
            <EndpointTable endpoints={endpoints} />
          ) : (
            <EmptyState icon={Webhook} title={t('webhooks.none')}>
              {t('webhooks.noneHelp')}
            </EmptyState>
          )}
        </Panel>
        <Panel title={t('webhooks.addTitle')} id="new-endpoint">
          <NewEndpointForm key={secret ?? 'empty'} />
        </Panel>
      </Stack>
    </>
  );
}
