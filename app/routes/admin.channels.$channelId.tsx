import { Button, Group, Stack } from '@mantine/core';
import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData, useSearchParams } from '@remix-run/react';
import { Cpu, Plus } from 'lucide-react';
import { ChannelForm, ChannelLimitsForm } from '#app/components/admin/channel-forms.tsx';
import { ChannelHealth } from '#app/components/admin/channel-health.tsx';
import { ChannelKeyPanel } from '#app/components/admin/channel-key-panel.tsx';
import { ChannelState } from '#app/components/admin/channel-state.tsx';
import { ChannelWebhooks } from '#app/components/admin/channel-webhooks.tsx';
import { ModelTable } from '#app/components/admin/model-table.tsx';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runChannelForm } from '#app/lib/channel-actions.ts';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { catalogueEntry } from '#server/providers/channels/schemas.ts';

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.channel.name ?? 'Channel'} · Sidelane` },
];

/** A page that shows a key is not kept by anyone. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { channels, models } = context.trpc;
  const [all, allModels] = await loadOrThrow(request, Promise.all([channels.list(), models.list()]));
  const channel = all.find((candidate) => candidate.id === params.channelId);
  if (!channel) throw new Response('There is no such channel.', { status: 404 });
  return { channel, models: allModels.filter((model) => model.channel.id === channel.id), now: new Date() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runChannelForm({ request, context, form: await request.formData() });
}

export default function Channel() {
  const { channel, models, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [query] = useSearchParams();
  const done = answer && 'done' in answer ? answer.done : null;
  const test = answer && 'test' in answer ? (answer.test ?? null) : null;
  const revealed = answer && 'revealed' in answer ? (answer.revealed ?? null) : null;
  const values = { channelId: channel.id };
  return (
    <>
      <PageHeader
        title={channel.name}
        edge={`Channel · ${catalogueEntry(channel.protocol)?.title ?? channel.protocol}`}
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
          <Notice title="Added">Test it now: that is a call which costs nothing and creates nothing.</Notice>
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
        <ChannelHealth channel={channel} now={now} />
        {channel.protocol === 'custom' ? (
          <Panel title="Protocol" description="How this service is spoken to, as it was described here.">
            <Button component={Link} to={`/admin/channels/custom?channel=${channel.id}`} variant="default">
              Change the description
            </Button>
          </Panel>
        ) : null}
        <ChannelForm
          key={`channel-${channel.name}-${channel.baseUrl}`}
          channel={channel}
          saved={done === 'channel'}
        />
        <ChannelLimitsForm channel={channel} saved={done === 'channel-limits'} />
        <ChannelWebhooks channel={channel} saved={done} />
        <ChannelKeyPanel channel={channel} saved={done === 'replace-key'} revealed={revealed} />
      </Stack>
    </>
  );
}
