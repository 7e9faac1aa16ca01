import { getFormProps } from '@conform-to/react';
import { Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { CheckboxField, FormErrors, PasswordField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { type ChannelView, catalogueEntry } from '#server/providers/channels/schemas.ts';
import { keySetForm, webhookSecretForm } from './channel-form-schemas.ts';
import { SaveRow } from './channel-forms.tsx';

type ChannelWebhooksProps = { channel: ChannelView; saved: string | null };

/** Where the vendor may report, and how its reports are verified. Nothing for protocols without webhooks. */
export function ChannelWebhooks({ channel, saved }: ChannelWebhooksProps) {
  const entry = catalogueEntry(channel.protocol);
  if (!entry || entry.webhooks === 'none') return null;
  return (
    <Panel
      title="Webhooks"
      description="A report makes a task due at once; the job is then asked for itself. Without reports everything works, a little later."
    >
      <Stack gap="lg" maw={760}>
        {channel.webhookAddress ? (
          <div>
            <Text size="sm" fw={500} mb={4}>
              Webhook address
            </Text>
            <Text size="xs" c="dimmed" mb="xs">
              Paste it where the vendor asks for one. It is also sent along with each task where the vendor
              takes it.
            </Text>
            <CopyField label="Webhook address" value={channel.webhookAddress} />
          </div>
        ) : (
          <Text size="sm">This server has no public address. Set PUBLIC_ORIGIN to receive reports.</Text>
        )}
        {entry.webhookSecretLabel ? (
          <SecretForm
            // Stored or removed: the field is empty again.
            key={`${channel.hasWebhookSecret}-${saved}`}
            channel={channel}
            label={entry.webhookSecretLabel}
            saved={saved === 'webhook-secret'}
          />
        ) : entry.webhooks === 'unsigned' ? (
          <Text size="sm" c="dimmed">
            This vendor signs nothing: its reports are only hints, and need no secret.
          </Text>
        ) : null}
        {channel.protocol === 'fal' ? <KeySetForm channel={channel} saved={saved === 'key-set'} /> : null}
      </Stack>
    </Panel>
  );
}

function SecretForm({ channel, label, saved }: { channel: ChannelView; label: string; saved: boolean }) {
  const [form, fields] = useZodForm('webhook-secret', webhookSecretForm);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Webhook secret">
      <input type="hidden" name="intent" value="webhook-secret" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <PasswordField
          field={fields.webhookSecret}
          label={label}
          description={
            channel.hasWebhookSecret
              ? 'One is stored, and never shown again. A new one takes its place.'
              : 'None is stored: a report is only a hint to look, until there is one.'
          }
          autoComplete="off"
        />
        {channel.hasWebhookSecret ? (
          <CheckboxField field={fields.remove} label="Remove the stored secret" />
        ) : null}
        <SaveRow intent="webhook-secret" saved={saved} label="Save the secret" />
      </Stack>
    </Form>
  );
}

function KeySetForm({ channel, saved }: { channel: ChannelView; saved: boolean }) {
  const [form, fields] = useZodForm('key-set', keySetForm, {
    defaultValue: { jwksUrl: jwksUrlOf(channel.settings) },
  });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Key set">
      <input type="hidden" name="intent" value="key-set" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.jwksUrl}
          label="Address of the public keys"
          description="Reports are signed with one of them. Empty: fal’s own."
          placeholder="fal’s own"
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
