import { Button, Group, Stack } from '@mantine/core';
import {
  type ActionFunctionArgs,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from '@remix-run/node';
import { Link, useActionData, useLoaderData } from '@remix-run/react';
import { CustomForm } from '#app/components/admin/custom-form.tsx';
import { PRESETS } from '#app/components/admin/custom-presets.ts';
import { toDescriptionText } from '#app/components/admin/custom-settings-text.ts';
import { Notice } from '#app/components/ui/error-message.tsx';
import { PageHeader } from '#app/components/ui/page-header.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { runCustomForm } from '#app/lib/custom-actions.ts';
import { languageOf, useT } from '#app/lib/language.tsx';
import { loadOrThrow } from '#app/lib/trpc-errors.ts';
import { adminTexts } from '#app/locales/admin.ts';

export const meta: MetaFunction = ({ matches }) => [
  { title: `${adminTexts.in(languageOf(matches))('custom.title')} · Sidelane` },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  const preset = PRESETS.find(({ id }) => id === query.get('preset')) ?? PRESETS[0];
  const channelId = query.get('channel');
  if (channelId === null) return { channel: null, preset: preset.id };
  const channels = await loadOrThrow(request, context.trpc.channels.list());
  const channel = channels.find(({ id }) => id === channelId);
  if (!channel) throw new Response('There is no such channel.', { status: 404 });
  if (channel.protocol !== 'custom') throw redirect(`/admin/channels/${channel.id}`);
  const { id, name, baseUrl, settings } = channel;
  return { channel: { id, name, baseUrl, settings }, preset: preset.id };
}

export async function action({ request, context }: ActionFunctionArgs) {
  return runCustomForm({ request, form: await request.formData(), context });
}

export default function CustomProtocol() {
  const t = useT(adminTexts);
  const { channel, preset: presetId } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const preset = PRESETS.find(({ id }) => id === presetId) ?? PRESETS[0];
  const stored = channel ? toDescriptionText(channel.settings) : undefined;
  const start = stored ?? toDescriptionText(preset.settings);
  if (!start) throw new Error(`The preset ${preset.id} does not fit its own schema.`);
  const { params, created, polled } = preset.samples;
  return (
    <>
      <PageHeader
        title={channel ? channel.name : t('custom.describe')}
        edge={channel ? t('custom.edge') : t('channels.edge')}
      >
        {t('custom.lead')}
      </PageHeader>
      <Stack gap="xl">
        {channel ? null : (
          <Panel id="start-from" title={t('custom.startFrom')}>
            <Group gap="xs">
              {PRESETS.map(({ id }) => (
                <Button
                  key={id}
                  component={Link}
                  to={`?preset=${id}`}
                  variant={id === preset.id ? 'filled' : 'default'}
                  aria-current={id === preset.id ? 'true' : undefined}
                  size="xs"
                  preventScrollReset
                >
                  {t(`custom.presets.${id}`)}
                </Button>
              ))}
            </Group>
          </Panel>
        )}
        {channel && !stored ? (
          <Notice tone="warning" title={t('custom.unreadable.title')}>
            {t('custom.unreadable.text')}
          </Notice>
        ) : null}
        <CustomForm
          // Another preset or channel fills the form anew.
          key={channel?.id ?? preset.id}
          defaults={{
            channelId: channel?.id,
            name: channel?.name,
            baseUrl: channel?.baseUrl,
            settings: start,
            sample: channel ? {} : { params, created: { body: created }, polled: { body: polled } },
          }}
          result={answer && 'dryRun' in answer ? answer.dryRun : null}
        />
      </Stack>
    </>
  );
}
