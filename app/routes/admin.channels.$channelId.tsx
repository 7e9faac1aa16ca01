import { Button, Group, Stack } from '@mantine/core';
import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs, MetaFunction } from '@remix-run/node';
import { Link, useActionData, useLoaderData, useSearchParams } from '@remix-run/react';
import { Cpu, Plus } from 'lucide-react';
import { ChannelForm, ChannelLimitsForm } from '#app/components/admin/channel-forms.tsx';
import { ChannelHealth } from '#app/components/admin/channel-health.tsx';
import { ChannelKeyPanel } from '#app/components/admin/channel-key-panel.tsx';
import { ChannelNumbersPanels } from '#app/components/admin/channel-numbers.tsx';
import { ChannelState } from '#app/components/admin/channel-state.tsx';
import { ChannelWebhooks } from '#app/components/admin/channel-webhooks.tsx';
import { ModelTable } from '#app/components/admin/model-table.tsx';
import { protocolTitle } from '#app/components/admin/protocol-words.ts';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { EmptyState } from '#app/components/ui/empty-state.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { runChannelForm } from '#app/lib/channel-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminTexts } from '#app/locales/admin.ts';

export const meta: MetaFunction<typeof loader> = ({ data, matches }) => [
  { title: `${data?.channel.name ?? adminTexts.in(languageOf(matches))('channel.title')} · Sidelane` },
];

/** A page that shows a key is not kept by anyone. */
export const headers: HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { channels, models, overview } = context.trpc;
  const [all, allModels, allNumbers] = await loadOrThrow(
    request,
    Promise.all([channels.list(), models.list(), overview.channels()]),
  );
  const channel = all.find((candidate) => candidate.id === params.channelId);
  const numbers = allNumbers.find(({ channelId }) => channelId === params.channelId);
  if (!channel || !numbers) throw new Response('There is no such channel.', { status: 404 });
  const detail = await loadOrThrow(request, overview.channel({ channelId: channel.id }));
  return {
    channel,
    models: allModels.filter((model) => model.channel.id === channel.id),
    numbers,
    detail,
    now: new Date(),
  };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runChannelForm({ request, context, form: await request.formData() });
}

export default function Channel() {
  const t = useT(adminTexts);
  const { channel, models, numbers, detail, now } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [query] = useSearchParams();
  const done = answer && 'done' in answer ? answer.done : null;
  const test = answer && 'test' in answer ? (answer.test ?? null) : null;
  const revealed = answer && 'revealed' in answer ? (answer.revealed ?? null) : null;
  return (
    <>
      <PageHeader
        title={channel.name}
        edge={t('channel.edge', { protocol: protocolTitle(t, channel.protocol) })}
        actions={
          <ActionForm intent="test" values={{ channelId: channel.id }}>
            <SubmitButton name="button" value="test">
              {t('channel.test')}
            </SubmitButton>
          </ActionForm>
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
            tone={test.ok ? 'good' : 'error'}
            title={test.ok ? t('channel.answers') : t('channel.testFailed')}
          >
            <Refusal of={[test.message]} />
          </Notice>
        ) : query.has('added') && !answer ? (
          <Notice tone="good" title={t('channel.added.title')}>
            {t('channel.added.text')}
          </Notice>
        ) : null}
        <ActionErrors intents={['test', 'enable-model', 'move-model']} />
        <Panel
          id="models"
          title={t('channel.models.title')}
          description={t('channel.models.description')}
          flush
          actions={
            <Button
              component={Link}
              to={`/admin/models/new?channel=${channel.id}`}
              variant="default"
              size="xs"
              leftSection={<Plus size={14} aria-hidden="true" />}
            >
              {t('channel.models.add')}
            </Button>
          }
        >
          {models.length === 0 ? (
            <EmptyState icon={Cpu} title={t('channel.models.emptyTitle')}>
              {t('channel.models.emptyText')}
            </EmptyState>
          ) : (
            <ModelTable models={models} withChannel={false} />
          )}
        </Panel>
        <ChannelHealth channel={channel} now={now} load={numbers} />
        <ChannelNumbersPanels numbers={numbers} detail={detail} />
        {channel.protocol === 'custom' ? (
          <Panel
            id="protocol"
            title={t('channel.protocol.title')}
            description={t('channel.protocol.description')}
          >
            <Button component={Link} to={`/admin/channels/custom?channel=${channel.id}`} variant="default">
              {t('channel.protocol.change')}
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
