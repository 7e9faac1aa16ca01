import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { FormErrors, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelView } from '#server/providers/channels/schemas.ts';
import { channelForm, channelLimitsForm } from './channel-form-schemas.ts';

export type ChannelFormProps = { channel: ChannelView; saved: boolean };

export function ChannelForm({ channel, saved }: ChannelFormProps) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('channel', channelForm, {
    defaultValue: { name: channel.name, baseUrl: channel.baseUrl },
  });
  return (
    <Panel id="account" title={t('channel.account.title')} description={t('channel.account.description')}>
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="channel" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <TextField field={fields.name} label={t('channel.account.name')} autoComplete="off" />
          <TextField
            field={fields.baseUrl}
            label={t('channel.account.baseUrl')}
            inputMode="url"
            autoComplete="off"
          />
          <SaveRow intent="channel" saved={saved} />
        </Stack>
      </Form>
    </Panel>
  );
}

/** How much and how fast. Empty fields mean "no limit of its own". */
export function ChannelLimitsForm({ channel, saved }: ChannelFormProps) {
  const t = useT(adminTexts);
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
    <Panel id="limits" title={t('channel.limits.title')} description={t('channel.limits.description')}>
      <Form method="post" preventScrollReset {...getFormProps(form)}>
        <input type="hidden" name="intent" value="channel-limits" />
        <input type="hidden" name="channelId" value={channel.id} />
        <Stack gap="md" maw={760}>
          <FormErrors form={form} />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextField
              field={fields.maxInFlight}
              type="number"
              label={t('channel.limits.maxInFlight')}
              description={t('channel.limits.maxInFlightHelp')}
            />
            <TextField
              field={fields.requestsPerMinute}
              type="number"
              label={t('channel.limits.perMinute')}
              description={t('channel.limits.perMinuteHelp')}
              placeholder={t('channel.limits.noLimit')}
            />
            <TextField
              field={fields.pollFirstSeconds}
              type="number"
              step="any"
              label={t('channel.limits.pollFirst')}
              description={t('channel.limits.pollFirstHelp')}
              placeholder={t('channel.limits.serverPace')}
            />
            <TextField
              field={fields.pollCapSeconds}
              type="number"
              step="any"
              label={t('channel.limits.pollCap')}
              description={t('channel.limits.pollCapHelp')}
              placeholder={t('channel.limits.serverPace')}
            />
            <TextField
              field={fields.deadlineSeconds}
              type="number"
              label={t('channel.limits.deadline')}
              description={t('channel.limits.deadlineHelp')}
              placeholder={t('channel.limits.modelDeadline')}
            />
            <TextField
              field={fields.resultWindowSeconds}
              type="number"
              label={t('channel.limits.resultWindow')}
              description={t('channel.limits.resultWindowHelp')}
              placeholder={t('channel.limits.usual')}
            />
          </SimpleGrid>
          <SaveRow intent="channel-limits" saved={saved} />
        </Stack>
      </Form>
    </Panel>
  );
}

/** The button of a form and whether it went through. */
export function SaveRow({ intent, saved, label }: { intent: string; saved: boolean; label?: string }) {
  const t = useT(adminTexts);
  return (
    <Group>
      <SubmitButton variant="default" name="button" value={intent}>
        {label ?? t('save')}
      </SubmitButton>
      <Text size="sm" role="status">
        {saved ? t('saved') : ''}
      </Text>
    </Group>
  );
}
