import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import {
  type ChannelView,
  pauseChannelInput,
  resumeChannelInput,
} from '#server/providers/channels/schemas.ts';
import { ChannelState } from './channel-state.tsx';

const PAUSES = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '1440', label: '24 hours' },
];

type ChannelHealthProps = { channel: ChannelView; now: Date };

/** How the upstream does, and the brake for when it does badly. */
export function ChannelHealth({ channel, now }: ChannelHealthProps) {
  const { pausedUntil, coolDownUntil } = channel;
  const held = pausedUntil !== null || coolDownUntil !== null;
  return (
    <Panel
      title="Health"
      description="While a channel is paused, nothing is sent to it, and its tasks wait. While it cools down or is off, only new tasks wait."
      actions={<ChannelState channel={channel} now={now} />}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <DefinitionList
          entries={[
            ['Failures in a row', String(channel.consecutiveFailures)],
            ['Last error', lastError(channel)],
            ['Paused until', pausedUntil ? moment(pausedUntil) : 'not paused'],
            ['Cools down until', coolDownUntil ? moment(coolDownUntil) : null],
          ]}
        />
        <Stack gap="xl">
          {held ? <ResumeForm channelId={channel.id} /> : null}
          <PauseForm key={String(pausedUntil?.valueOf() ?? 0)} channelId={channel.id} held={held} />
        </Stack>
      </SimpleGrid>
    </Panel>
  );
}

const moment = (at: Date) => <TimeAgo at={at} style="absolute" />;

function lastError({ lastErrorAt, lastErrorClass }: ChannelView) {
  if (!lastErrorAt) return 'none';
  return (
    <span>
      {lastErrorClass ?? 'error'}, <TimeAgo at={lastErrorAt} />
    </span>
  );
}

function PauseForm({ channelId, held }: { channelId: string; held: boolean }) {
  const [form, fields] = useZodForm('pause', pauseChannelInput, { defaultValue: { minutes: 60 } });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Pause">
      <input type="hidden" name="intent" value="pause" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <SelectField field={fields.minutes} label="Pause for" options={PAUSES} />
        <TextField field={fields.reason} label="Why pause it?" autoComplete="off" />
        <Group>
          <SubmitButton variant="default" name="button" value="pause">
            {held ? 'Pause it anew' : 'Pause it'}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function ResumeForm({ channelId }: { channelId: string }) {
  const [form, fields] = useZodForm('resume', resumeChannelInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label="Go on">
      <input type="hidden" name="intent" value="resume" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField field={fields.reason} label="Why may it go on?" autoComplete="off" />
        <Group>
          <SubmitButton name="button" value="resume">
            Go on now
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
