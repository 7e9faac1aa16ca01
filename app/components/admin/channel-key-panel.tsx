import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { FormErrors, PasswordField, TextareaField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
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
  return (
    <Panel
      title="API key"
      description="The old key is retired, and stays usable for the tasks that it created."
      actions={
        channel.key ? (
          <Text size="sm" c="dimmed">
            …{channel.key.hint}, since <TimeAgo at={channel.key.since} />
          </Text>
        ) : null
      }
    >
      <Stack gap="lg">
        {revealed === null ? null : (
          <Notice tone="warning" title="The key, shown this once">
            <Stack gap="xs">
              <Text size="sm">It is written down that you asked for it. Reload the page to hide it.</Text>
              <CopyField label="API key" value={revealed} />
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
  const [form, fields] = useZodForm('replace-key', replaceKeyInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Replace the key">
      <input type="hidden" name="intent" value="replace-key" />
      <input type="hidden" name="channelId" value={channel.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <PasswordField
          field={fields.apiKey}
          label="New API key"
          description={catalogueEntry(channel.protocol)?.keyLabel}
          autoComplete="off"
        />
        <SaveRow intent="replace-key" saved={saved} label="Replace the key" />
      </Stack>
    </Form>
  );
}

function RevealKeyForm({ channelId }: { channelId: string }) {
  const [form, fields] = useZodForm('reveal-key', revealKeyInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Show the key">
      <input type="hidden" name="intent" value="reveal-key" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextareaField
          field={fields.reason}
          label="Why do you need to see the key?"
          description="Your reason is written into the audit log."
          autosize
          minRows={1}
        />
        <Group>
          <ConfirmButton variant="default" confirmLabel="Show it once">
            Show the key
          </ConfirmButton>
        </Group>
      </Stack>
    </Form>
  );
}
