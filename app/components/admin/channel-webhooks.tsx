import { getFormProps } from '@conform-to/react';
import { Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { keyLabel } from '#app/components/admin/protocol-words.ts';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { CheckboxField, FormErrors, PasswordField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import { type ChannelView, catalogueEntry } from '#server/providers/channels/schemas.ts';
import { keySetForm, webhookSecretForm } from './channel-form-schemas.ts';
import { SaveRow } from './channel-forms.tsx';

type ChannelWebhooksProps = { channel: ChannelView; saved: string | null };

/** Where the vendor may report, and how its reports are verified. Nothing for protocols without webhooks. */
export function ChannelWebhooks({ channel, saved }: ChannelWebhooksProps) {
  const t = useT(adminTexts);
  const entry = catalogueEntry(channel.protocol);
  if (!entry || entry.webhooks === 'none') return null;
  return (
    <Panel id="webhooks" title={t('channel.webhooks.title')} description={t('channel.webhooks.description')}>
      <Stack gap="lg" maw={760}>
        {channel.webhookAddress ? (
          <div>
            <Text size="sm" fw={500} mb={4}>
              {t('channel.webhooks.address')}
            </Text>
            <Text size="xs" c="dimmed" mb="xs">
              {t('channel.webhooks.addressHelp')}
            </Text>
            <CopyField label={t('channel.webhooks.address')} value={channel.webhookAddress} />
          </div>
        ) : (
          <Text size="sm">{t('channel.webhooks.noOrigin')}</Text>
        )}
        {entry.webhookSecretLabel ? (
          <SecretForm
            // Stored or removed: the field is empty again.
            key={`${channel.hasWebhookSecret}-${saved}`}
            channel={channel}
            label={keyLabel(t, entry.webhookSecretLabel)}
            saved={saved === 'webhook-secret'}
          />
        ) : entry.webhooks === 'unsigned' ? (
          <Text size="sm" c="dimmed">
            {t('channel.webhooks.unsigned')}
          </Text>
        ) : null}
        {channel.protocol === 'fal' ? <KeySetForm channel={channel} saved={saved === 'key-set'} /> : null}
      </Stack>
    </Panel>
  );
}

function SecretForm({ channel, label, saved }: { channel: ChannelView; label: string; saved: boolean }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('webhook-secret', webhookSecretForm);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.webhooks.secret')}>
      <input type="hidden" name="intent" value="webhook-secret" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <PasswordField
          field={fields.webhookSecret}
          label={label}
          description={
            channel.hasWebhookSecret ? t('channel.webhooks.stored') : t('channel.webhooks.notStored')
          }
          autoComplete="off"
        />
        {channel.hasWebhookSecret ? (
          <CheckboxField field={fields.remove} label={t('channel.webhooks.remove')} />
        ) : null}
        <SaveRow intent="webhook-secret" saved={saved} label={t('channel.webhooks.saveSecret')} />
      </Stack>
    </Form>
  );
}

function KeySetForm({ channel, saved }: { channel: ChannelView; saved: boolean }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('key-set', keySetForm, {
    defaultValue: { jwksUrl: jwksUrlOf(channel.settings) },
  });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.webhooks.keySet')}>
      <input type="hidden" name="intent" value="key-set" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.jwksUrl}
          label={t('channel.webhooks.jwks')}
          description={t('channel.webhooks.jwksHelp')}
          placeholder={t('channel.webhooks.falOwn')}
          inputMode="url"
          autoComplete="off"
        />
        <SaveRow intent="key-set" saved={saved} />
      </Stack>
    </Form>
  );
}

function jwksUrlOf(settings: unknown): string | undefined {
  if (typeof settings !== 'object' || settings === null || !('jwksUrl' in settings)) return undefined;
  return typeof settings.jwksUrl === 'string' ? settings.jwksUrl : undefined;
}
