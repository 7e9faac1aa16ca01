import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import type { ChannelView } from '#server/providers/channels/schemas.ts';
import { channelForm, channelLimitsForm } from './channel-form-schemas.ts';

export type ChannelFormProps = { channel: ChannelView; saved: boolean };

export function ChannelForm({ channel, saved }: ChannelFormProps) {
  const [form, fields] = useZodForm('channel', channelForm, {
    defaultValue: { name: channel.name, baseUrl: channel.baseUrl },
  });
  return (
    <Panel title="Account" description="Running tasks keep the address that they were submitted under.">
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="channel" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <TextField field={fields.name} label="Name" autoComplete="off" />
          <TextField field={fields.baseUrl} label="Base URL" inputMode="url" autoComplete="off" />
          <SaveRow intent="channel" saved={saved} />
        </Stack>
      </Form>
    </Panel>
  );
}

/** How much and how fast. Empty fields mean "no limit of its own". */
export function ChannelLimitsForm({ channel, saved }: ChannelFormProps) {
  const { pollPace } = channel;
  const [form, fields] = useZodForm('channel-limits', channelLimitsForm, {
    defaultValue: {
      maxInFlight: channel.maxInFlight,
      requestsPerMinute: channel.requestsPerMinute ?? undefined,
      pollFirstSeconds: pollPace ? pollPace.firstMs / 1_000 : undefined,
      pollCapSeconds: pollPace ? pollPace.capMs / 1_000 : undefined,
      deadlineSeconds: channel.deadlineSeconds ?? undefined,
      resultWindowSeconds: channel.resultWindowSeconds ?? undefined,
    },
  });
  return (
    <Panel
      title="Limits and pace"
      description="Running tasks keep the pace and deadline of their submit; how many may start counts at once."
    >
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="channel-limits" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextField
              field={fields.maxInFlight}
              type="number"
              label="Tasks at once"
              description="How many may be under way on this account."
            />
            <TextField
              field={fields.requestsPerMinute}
              type="number"
              label="New tasks per minute"
              description="Spread over the minute. Empty: no limit."
              placeholder="no limit"
            />
            <TextField
              field={fields.pollFirstSeconds}
              type="number"
              step="any"
              label="First look after (seconds)"
              description="How soon a new job is asked for. Empty: the server’s pace."
              placeholder="the server’s"
            />
            <TextField
              field={fields.pollCapSeconds}
              type="number"
              step="any"
              label="Longest wait between looks (seconds)"
              description="Looks grow rarer up to this."
              placeholder="the server’s"
            />
            <TextField
              field={fields.deadlineSeconds}
              type="number"
              label="Deadline (seconds)"
              description="Upstream run time after which a task is overdue. Empty: the model’s."
              placeholder="the model’s"
            />
            <TextField
              field={fields.resultWindowSeconds}
              type="number"
              label="Results stay (seconds)"
              description="How long finished files can be fetched upstream. Empty: as usual for the protocol."
              placeholder="as usual"
            />
          </SimpleGrid>
          <SaveRow intent="channel-limits" saved={saved} />
        </Stack>
      </Form>
    </Panel>
  );
}

/** The button of a form and whether it went through. */
export function SaveRow({
  intent,
  saved,
  label = 'Save',
}: {
  intent: string;
  saved: boolean;
  label?: string;
}) {
  return (
    <Group>
      <SubmitButton variant="default" name="button" value={intent}>
        {label}
      </SubmitButton>
      <Text size="sm" role="status">
        {saved ? 'Saved.' : ''}
      </Text>
    </Group>
  );
}
