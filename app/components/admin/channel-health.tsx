import { getFormProps } from '@conform-to/react';
import { Group, SimpleGrid, Stack } from '@mantine/core';
import { Form } from '@remix-run/react';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { Refusal } from '#app/components/ui/refusal.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { ChannelNumbers } from '#server/overview/schemas.ts';
import {
  type ChannelView,
  pauseChannelInput,
  resumeChannelInput,
} from '#server/providers/channels/schemas.ts';
import { switchChannelForm } from './channel-form-schemas.ts';
import { ChannelState } from './channel-state.tsx';

const PAUSES = ['15', '60', '240', '1440'] as const;

type ChannelHealthProps = {
  channel: ChannelView;
  now: Date;
  load?: Pick<ChannelNumbers, 'inFlight' | 'queued'>;
};

/** How the upstream does, and the brakes for when it does badly. */
export function ChannelHealth({ channel, now, load }: ChannelHealthProps) {
  const t = useT(adminTexts);
  const format = useFormat();
  const { pausedUntil, coolDownUntil } = channel;
  const held = pausedUntil !== null || coolDownUntil !== null;
  return (
    <Panel
      id="health"
      title={t('channel.health.title')}
      description={t('channel.health.description')}
      actions={<ChannelState channel={channel} now={now} />}
    >
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <DefinitionList
          entries={[
            [
              t('channel.health.inFlight'),
              load
                ? t('channels.inFlightOf', {
                    some: format.integer(load.inFlight),
                    most: format.integer(channel.maxInFlight),
                  })
                : null,
            ],
            [t('channel.health.queued'), load ? format.integer(load.queued) : null],
            [t('channel.health.failures'), format.integer(channel.consecutiveFailures)],
            [t('channel.health.lastError'), <LastError key="error" channel={channel} />],
            [t('channel.health.lastTest'), <LastTest key="test" channel={channel} />],
            [
              t('channel.health.pausedUntil'),
              pausedUntil ? moment(pausedUntil) : t('channel.health.notPaused'),
            ],
            [t('channel.health.coolsUntil'), coolDownUntil ? moment(coolDownUntil) : null],
          ]}
        />
        <Stack gap="xl">
          {held ? <ResumeForm channelId={channel.id} /> : null}
          <PauseForm key={String(pausedUntil?.valueOf() ?? 0)} channelId={channel.id} held={held} />
          <SwitchForm key={channel.enabled ? 'on' : 'off'} channel={channel} />
        </Stack>
      </SimpleGrid>
    </Panel>
  );
}

const moment = (at: Date) => <TimeAgo at={at} style="absolute" />;

/** What the upstream did last that counts as its fault, and when. */
export function LastError({ channel: { lastErrorAt, lastErrorClass } }: { channel: ChannelView }) {
  const t = useT(adminTexts);
  if (!lastErrorAt) return <>{t('none')}</>;
  return (
    <span>
      {lastErrorClass ?? t('channels.error')}, <TimeAgo at={lastErrorAt} />
    </span>
  );
}

/** What the last test came to, when, and who asked. */
function LastTest({ channel: { lastTest } }: { channel: ChannelView }) {
  const t = useT(adminTexts);
  if (!lastTest) return <>{t('channel.health.neverTested')}</>;
  const { at, by, ok, message } = lastTest;
  return (
    <span>
      {ok ? t('channel.answers') : t('channel.testFailed')} <TimeAgo at={at} />
      {by ? ` · ${by}` : ''}
      <br />
      <Refusal of={[message]} />
    </span>
  );
}

function PauseForm({ channelId, held }: { channelId: string; held: boolean }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('pause', pauseChannelInput, { defaultValue: { minutes: 60 } });
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.health.pause')}>
      <input type="hidden" name="intent" value="pause" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <SelectField
          field={fields.minutes}
          label={t('channel.health.pauseFor')}
          options={PAUSES.map((value) => ({ value, label: t(`channel.health.minutes.${value}`) }))}
        />
        <TextField field={fields.reason} label={t('channel.health.why')} autoComplete="off" />
        <Group>
          <SubmitButton variant="default" name="button" value="pause">
            {held ? t('channel.health.pauseAnew') : t('channel.health.pauseIt')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

function ResumeForm({ channelId }: { channelId: string }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('resume', resumeChannelInput);
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={t('channel.health.goOn')}>
      <input type="hidden" name="intent" value="resume" />
      <input type="hidden" name="channelId" value={channelId} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField field={fields.reason} label={t('channel.health.whyGoOn')} autoComplete="off" />
        <Group>
          <SubmitButton name="button" value="resume">
            {t('channel.health.goOnNow')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}

/** Off for new tasks until somebody turns it on again; what is under way goes on. */
function SwitchForm({ channel: { id, enabled } }: { channel: ChannelView }) {
  const t = useT(adminTexts);
  const [form, fields] = useZodForm('switch', switchChannelForm);
  const word = enabled ? t('channel.health.turnOff') : t('channel.health.turnOn');
  return (
    <Form method="post" preventScrollReset {...getFormProps(form)} aria-label={word}>
      <input type="hidden" name="intent" value="switch" />
      <input type="hidden" name="channelId" value={id} />
      <input type="hidden" name="enabled" value={enabled ? '' : 'on'} />
      <Stack gap="md">
        <FormErrors form={form} />
        <TextField
          field={fields.reason}
          label={enabled ? t('channel.health.whyOff') : t('channel.health.whyOn')}
          description={enabled ? t('channel.health.offHelp') : undefined}
          autoComplete="off"
        />
        <Group>
          <SubmitButton variant={enabled ? 'default' : 'filled'} name="button" value="switch">
            {word}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
