import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Form, Link, useLoaderData, useSubmit } from '@remix-run/react';
import { newModelForm } from '#app/components/admin/model-form-schema.ts';
import { NewModelForm } from '#app/components/admin/new-model-form.tsx';
import { protocolTitle } from '#app/components/admin/protocol-words.ts';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelView, ModelTemplate } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('newModel.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { channels } = context.trpc;
  const [channelViews, allTemplates] = await loadOrThrow(
    request,
    Promise.all([channels.list(), channels.templates()]),
  );
  const query = new URL(request.url).searchParams;
  const channel = channelViews.find(({ id }) => id === query.get('channel')) ?? channelViews[0];
  if (!channel) throw redirect('/admin/channels/new');
  const templates = allTemplates.filter(({ protocol }) => protocol === channel.protocol);
  const template = templates.find(({ id }) => id === query.get('template')) ?? null;
  return { channels: channelViews, channel, templates, template };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runForm(request, await request.formData(), {
    name: 'new-model',
    schema: newModelForm,
    run: async (input) => {
      await context.trpc.models.create(input);
      return redirect(`/admin/channels/${input.channelId}`);
    },
  });
}

export default function NewModel() {
  const t = useT(adminTexts);
  const { channels, channel, templates, template } = useLoaderData<typeof loader>();
  return (
    <>
      <PageHeader title={t('newModel.title')} edge={t('models.edge')}>
        {t('newModel.lead')}
      </PageHeader>
      <Stack gap="xl">
        <Panel id="channel" title={t('newModel.channel')}>
          <ChannelChoice channels={channels} channelId={channel.id} />
        </Panel>
        <Panel id="templates" title={t('newModel.templates')}>
          <TemplateChoice channelId={channel.id} templates={templates} chosen={template?.id} />
        </Panel>
        <NewModelForm
          // Another channel or template fills the form anew.
          key={`${channel.id} ${template?.id}`}
          template={template}
          channel={channel}
        />
      </Stack>
    </>
  );
}

/** Choosing a channel reads the page anew, because its protocol decides what can be made. */
function ChannelChoice({ channels, channelId }: { channels: readonly ChannelView[]; channelId: string }) {
  const t = useT(adminTexts);
  const submit = useSubmit();
  return (
    <Form method="get" preventScrollReset onChange={(event) => submit(event.currentTarget)}>
      <Group align="flex-end">
        <NativeSelect
          key={channelId}
          name="channel"
          label={t('newModel.on')}
          defaultValue={channelId}
          data={channels.map(({ id, name, protocol }) => ({
            value: id,
            label: `${name} (${protocolTitle(t, protocol)})`,
          }))}
        />
        <noscript>
          <Button type="submit" variant="default">
            {t('newModel.choose')}
          </Button>
        </noscript>
      </Group>
    </Form>
  );
}

type TemplateChoiceProps = {
  channelId: string;
  templates: readonly ModelTemplate[];
  chosen: string | undefined;
};

function TemplateChoice({ channelId, templates, chosen }: TemplateChoiceProps) {
  const t = useT(adminTexts);
  if (templates.length === 0) return <Text size="sm">{t('newModel.noTemplates')}</Text>;
  return (
    <Group gap="xs">
      {templates.map(({ id, title }) => (
        <Button
          key={id}
          component={Link}
          to={`?channel=${channelId}&template=${id}`}
          variant={chosen === id ? 'filled' : 'default'}
          aria-current={chosen === id ? 'true' : undefined}
          size="xs"
          preventScrollReset
        >
          {title}
        </Button>
      ))}
    </Group>
  );
}
