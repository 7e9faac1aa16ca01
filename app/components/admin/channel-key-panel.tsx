import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { keyLabel } from '#app/components/admin/protocol-words.ts';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, PasswordField, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import {
  type ChannelView,
  catalogueEntry,
  replaceKeyInput,
  revealKeyInput,
} from '#server/providers/channels/schemas.ts';
import { SaveRow } from './channel-forms.tsx';

type ChannelKeyPanelProps = {
  channel: ChannelView;
  saved: boolean;
  /** The key, right after somebody asked for it; gone with the next answer of the page. */
  revealed: string | null;
};

/** The sealed key: replaced by a new one, or shown once to an administrator who says why. */
export function ChannelKeyPanel({ channel, saved, revealed }: ChannelKeyPanelProps) {
  const t = useT(adminTexts);
  return (
    <Panel
      id="api-key"
      title={t('channel.key.title')}
      description={t('channel.key.description')}
      actions={
        channel.key ? (
          <Text size="sm" c="dimmed">
            {t('channel.key.since', { hint: channel.key.hint })} <TimeAgo at={channel.key.since} />
          </Text>
        ) : null
      }
    >
      <Stack gap="lg">
        {revealed === null ? null : (
          <Notice tone="warning" title={t('channel.key.shownTitle')}>
            <Stack gap="xs">
              <Text size="sm">{t('channel.key.shownText')}</Text>
              <CopyField label={t('channel.key.title')} value={revealed} />
            </Stack>
          </Notice>
        )}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          {/* A new key empties the field. */}
          <ReplaceKeyForm key={channel.key?.since.valueOf() ?? 0} channel={channel} saved={saved} />
          {channel.key ? (
            <RevealKeyForm key={revealed === null ? 'asked' : 'shown'} channelId={channel.id} />
          ) : null}
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

function ReplaceKeyForm({ channel, saved }: { channel: ChannelView; saved: boolean }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('replace-key', replaceKeyInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.key.replace')}>
      <input type="hidden" name="intent" value="replace-key" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <PasswordField
          field={fields.apiKey}
          label={t('channel.key.new')}
          description={keyLabel(t, catalogueEntry(channel.protocol)?.keyLabel ?? '')}
          autoComplete="off"
        />
        <SaveRow intent="replace-key" saved={saved} label={t('channel.key.replace')} />
      </Stack>
    </Form>
  );
}

function RevealKeyForm({ channelId }: { channelId: string }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('reveal-key', revealKeyInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.key.show')}>
      <input type="hidden" name="intent" value="reveal-key" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextareaField
          field={fields.reason}
          label={t('channel.key.why')}
          description={t('channel.key.whyHelp')}
          autosize
          minRows={1}
        />
        <Group>
          <ConfirmButton variant="default" confirmLabel={t('channel.key.once')}>
            {t('channel.key.show')}
          </ConfirmButton>
        </Group>
      </Stack>
    </Form>
  );
}
