import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { z } from 'zod';
import { FormErrors, PasswordField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { type ChannelView, createChannelInput, replaceKeyInput } from '#server/providers/channels/schemas.ts';

/** Every field of the form is sent, so none may be left out as the procedure allows. */
export const channelForm = z.object({
  channelId: replaceKeyInput.shape.channelId,
  name: createChannelInput.shape.name,
  baseUrl: createChannelInput.shape.baseUrl,
  maxInFlight: createChannelInput.shape.maxInFlight.unwrap(),
});

type ChannelFormProps = { channel: ChannelView; saved: boolean };

export function ChannelForm({ channel, saved }: ChannelFormProps) {
  const [form, fields] = useZodForm('channel', channelForm, {
    defaultValue: { name: channel.name, baseUrl: channel.baseUrl, maxInFlight: channel.maxInFlight },
  });
  return (
    <Panel title="Account" description="Running tasks keep the address that they were submitted under.">
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="channel" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextField field={fields.name} label="Name" autoComplete="off" />
            <TextField field={fields.maxInFlight} type="number" label="Tasks at once" />
          </SimpleGrid>
          <TextField field={fields.baseUrl} label="Base URL" inputMode="url" autoComplete="off" />
          <Group>
            <SubmitButton variant="default" name="button" value="channel">
              Save
            </SubmitButton>
            <Saved show={saved} />
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}

export function ReplaceKeyForm({ channel, saved }: ChannelFormProps) {
  const [form, fields] = useZodForm('replace-key', replaceKeyInput);
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
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="replace-key" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <PasswordField field={fields.apiKey} label="New API key" autoComplete="off" />
          <Group>
            <SubmitButton variant="default" name="button" value="replace-key">
              Replace the key
            </SubmitButton>
            <Saved show={saved} />
          </Group>
        </Stack>
      </Form>
    </Panel>
  );
}

function Saved({ show }: { show: boolean }) {
  return (
    <Text size="sm" role="status">
      {show ? 'Saved.' : ''}
    </Text>
  );
}
