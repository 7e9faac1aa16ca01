import { Button, Group, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Link, useLoaderData } from '@remix-run/react';
import { NewChannelForm, newChannelForm } from '#app/components/admin/new-channel-form.tsx';
import { protocolTitle } from '#app/components/admin/protocol-words.ts';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { PROTOCOLS } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('newChannel.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const templates = await loadOrThrow(request, context.trpc.channels.templates());
  const asked = new URL(request.url).searchParams.get('protocol');
  const protocol = PROTOCOLS.find((name) => name === asked) ?? 'openai';
  // A custom protocol is described on a page of its own.
  if (protocol === 'custom') throw redirect('/admin/channels/custom');
  return { protocol, templates: templates.filter((template) => template.protocol === protocol) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'new-channel',
    schema: newChannelForm,
    secrets: ['apiKey', 'webhookSecret'],
    run: async (input) => {
      const { channelId } = await context.trpc.channels.create(input);
      return redirect(`/admin/channels/${channelId}?added=1`);
    },
  });
}

export default function NewChannel() {
  const t = useT(adminTexts);
  const { protocol, templates } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('newChannel.title')} edge={t('channels.edge')}>
        {t('newChannel.lead')}
      </PageHeader>
      <Stack gap="xl">
        <Panel id="protocol" title={t('newChannel.protocol')}>
          <Group gap="xs">
            {PROTOCOLS.map((name) => (
              <Button
                key={name}
                component={Link}
                to={name === 'custom' ? '/admin/channels/custom' : `?protocol=${name}`}
                variant={name === protocol ? 'filled' : 'default'}
                aria-current={name === protocol ? 'true' : undefined}
                size="xs"
                preventScrollReset
              >
                {protocolTitle(t, name)}
              </Button>
            ))}
          </Group>
        </Panel>
        {/* Another protocol fills the form anew. */}
        <NewChannelForm key={protocol} protocol={protocol} templates={templates} />
      </Stack>
    </>
  );
}
