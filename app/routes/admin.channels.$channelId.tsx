import { Button, Group, Stack } from '@mantine/core';
import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData, useSearchParams } from '@remix-run/react';
import { Cpu, Plus } from 'lucide-react';
import { z } from 'zod';
import { ChannelForm, channelForm, ReplaceKeyForm } from '#app/components/admin/channel-forms.tsx';
import { ChannelState } from '#app/components/admin/channel-state.tsx';
import { ModelTable } from '#app/components/admin/model-table.tsx';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runForm } from '#app/lib/form.ts';
import { runModelSwitch } from '#app/lib/model-actions.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { channelInput, replaceKeyInput } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.channel.name ?? 'Channel'} · Sidelane` },
];

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { channels, models } = context.trpc;
  const [all, allModels] = await loadOrThrow(request, Promise.all([channels.list(), models.list()]));
  const channel = all.find((candidate) => candidate.id === params.channelId);
  if (!channel) throw new Response('There is no such channel.', { status: 404 });
  return { channel, models: allModels.filter((model) => model.channel.id === channel.id), now: new Date() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const { channels } = context.trpc;
  switch (form.get('intent')) {
    case 'test':
      return runForm(request, form, {
        name: 'test',
        schema: channelInput,
        run: async (input) => ({ test: await channels.test(input) }),
      });
    case 'switch':
      return runForm(request, form, {
        name: 'switch',
        schema: channelInput.extend({ enabled: z.boolean().default(false) }),
        run: async (input) => {
          await channels.update(input);
          return { done: 'switch' };
        },
      });
    case 'channel':
      return runForm(request, form, {
        name: 'channel',
        schema: channelForm,
        run: async (input) => {
          await channels.update(input);
          return { done: 'channel' };
        },
      });
    case 'replace-key':
      return runForm(request, form, {
        name: 'replace-key',
        schema: replaceKeyInput,
        secrets: ['apiKey'],
        run: async (input) => {
          await channels.replaceKey(input);
          return { done: 'replace-key' };
        },
      });
    case 'enable-model':
      return runModelSwitch(request, form, context);
    default:
      throw new Response('This form is not known. Reload the page and try again.', { status: 400 });
  }
}

export default function Channel() {
  const { channel, models, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [query] = useSearchParams();
  const test = answer && 'test' in answer ? answer.test : null;
  const done = answer && 'done' in answer ? answer.done : null;
  const values = { channelId: channel.id };
  return (
    <>
      <PageHeader
        title={channel.name}
        edge={`Channel · ${channel.protocol}`}
        actions={
          <>
            <ActionForm intent="switch" values={{ ...values, enabled: channel.enabled ? '' : 'on' }}>
              <SubmitButton variant="default" name="button" value="switch">
                {channel.enabled ? 'Turn off' : 'Turn on'}
              </SubmitButton>
            </ActionForm>
            <ActionForm intent="test" values={values}>
              <SubmitButton name="button" value="test">
                Test it
              </SubmitButton>
            </ActionForm>
          </>
        }
      >
        <Group gap="sm">
          <ChannelState channel={channel} now={now} />
          {channel.baseUrl}
        </Group>
      </PageHeader>
      <Stack gap="xl">
        {test ? (
          <Notice
            tone={test.ok ? 'note' : 'error'}
            title={test.ok ? 'The channel answers' : 'The test failed'}
          >
            {test.message}
          </Notice>
        ) : query.has('added') && !answer ? (
          <Notice title="Added">Test it now: that lists models at the upstream and creates nothing.</Notice>
        ) : null}
        <ActionErrors intents={['test', 'switch', 'enable-model']} />
        <Panel
          title="Models"
          description="What people can choose on this channel."
          flush
          actions={
            <Button
              component={Link}
              to={`/admin/models/new?channel=${channel.id}`}
              variant="default"
              size="xs"
              leftSection={<Plus size={14} aria-hidden="true" />}
            >
              Add a model
            </Button>
          }
        >
          {models.length === 0 ? (
            <EmptyState icon={Cpu} title="No model on this channel">
              Add one, from a ready-made template or by hand.
            </EmptyState>
          ) : (
            <ModelTable models={models} withChannel={false} />
          )}
        </Panel>
        <ChannelForm
          key={`channel-${channel.name}-${channel.baseUrl}`}
          channel={channel}
          saved={done === 'channel'}
        />
        <ReplaceKeyForm key={`key-${channel.retiredKeys}`} channel={channel} saved={done === 'replace-key'} />
      </Stack>
    </>
  );
}
