import { getFormProps } from '@conform-to/react';
import { Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Form } from '@remix-run/react';
import { useState } from 'react';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { FormErrors, SelectField, SubmitButton, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { adminTexts } from '#app/locales/admin.ts';
import type { Kind } from '#server/generation/status.ts';
import {
  type AdminModelView,
  addCandidateInput,
  type CandidateView,
  MAX_CANDIDATES,
} from '#server/providers/channels/models/schemas.ts';
import { type ChannelView, catalogueEntry } from '#server/providers/channels/schemas.ts';
import { CandidateCost } from './cost/candidate-cost.tsx';
import classes from './model-candidates.module.css';

type ModelCandidatesProps = { model: AdminModelView; channels: readonly ChannelView[] };

/** The accounts that are tried after the model's own, in order. */
export function ModelCandidates({ model, channels }: ModelCandidatesProps) {
  const t = useT(adminTexts);
  const { candidates } = model;
  return (
    <Panel
      id="candidates"
      title={t('model.candidates.title')}
      description={t('model.candidates.description')}
    >
      <Stack gap="lg" maw={760}>
        <ActionErrors intents={['move-candidate', 'remove-candidate']} />
        <ol className={classes.list}>
          <li className={classes.item}>
            <div>
              <strong>{model.channel.name}</strong> <Code>{model.upstreamModel}</Code>
              <Text size="xs" c="dimmed">
                {t('model.candidates.own', { endpoint: model.endpoint })}
              </Text>
            </div>
          </li>
          {candidates.map((candidate, index) => (
            <CandidateItem key={candidate.id} model={model} candidate={candidate} index={index} />
          ))}
        </ol>
        {candidates.length < MAX_CANDIDATES ? (
          <AddCandidateForm
            // An added one leaves the form empty.
            key={candidates.length}
            model={model}
            channels={channels}
          />
        ) : (
          <Text size="sm">{t('model.candidates.most', { most: MAX_CANDIDATES })}</Text>
        )}
      </Stack>
    </Panel>
  );
}

type CandidateItemProps = { model: AdminModelView; candidate: CandidateView; index: number };

function CandidateItem({ model, candidate, index }: CandidateItemProps) {
  const t = useT(adminTexts);
  const ids = model.candidates.map(({ id }) => id);
  const name = t('model.candidates.on', {
    model: candidate.upstreamModel,
    channel: candidate.channel.name,
  });
  return (
    <li className={classes.item}>
      <div>
        <strong>{candidate.channel.name}</strong> <Code>{candidate.upstreamModel}</Code>
        <Text size="xs" c="dimmed">
          {candidate.endpoint}
          {candidate.channel.enabled ? '' : t('model.candidates.channelOff')}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap">
        <MoveButton modelId={model.id} ids={swapped(ids, index, index - 1)} direction="up" name={name} />
        <MoveButton modelId={model.id} ids={swapped(ids, index, index + 1)} direction="down" name={name} />
        <ActionForm intent="remove-candidate" values={{ modelId: model.id, candidateId: candidate.id }}>
          <SubmitButton
            variant="default"
            size="xs"
            name="of"
            value={`remove ${candidate.id}`}
            aria-label={t('model.candidates.removeOf', { name })}
          >
            {t('model.candidates.remove')}
          </SubmitButton>
        </ActionForm>
      </Group>
      <CandidateCost
        // What was saved fills the form anew.
        key={JSON.stringify(candidate.cost)}
        modelId={model.id}
        candidate={candidate}
        name={name}
      />
    </li>
  );
}

/** The list with two places exchanged; null at its ends. */
function swapped(ids: readonly string[], from: number, to: number): string[] | null {
  const [one, other] = [ids[from], ids[to]];
  if (one === undefined || other === undefined) return null;
  return ids.map((id, index) => (index === from ? other : index === to ? one : id));
}

type MoveButtonProps = { modelId: string; ids: string[] | null; direction: 'up' | 'down'; name: string };

/** Posts the whole new order, so that it works without a script and a stale page changes nothing. */
function MoveButton({ modelId, ids, direction, name }: MoveButtonProps) {
  const t = useT(adminTexts);
  if (ids === null) return null;
  const order = Object.fromEntries(ids.map((id, index) => [`candidateIds[${index}]`, id]));
  return (
    <ActionForm intent="move-candidate" values={{ modelId, ...order }}>
      <SubmitButton
        variant="default"
        size="xs"
        name="of"
        value={`${direction} ${name}`}
        aria-label={
          direction === 'up' ? t('models.moveUp', { model: name }) : t('models.moveDown', { model: name })
        }
      >
        {t(`models.${direction}`)}
      </SubmitButton>
    </ActionForm>
  );
}

/** Endpoints of the channel's protocol that make this kind. */
export function endpointsFor(channel: { protocol: string } | undefined, kind: Kind): string[] {
  const endpoints = catalogueEntry(channel?.protocol ?? '')?.endpoints ?? {};
  return Object.keys(endpoints).filter((name) => endpoints[name] === kind);
}

function AddCandidateForm({ model, channels }: ModelCandidatesProps) {
  const t = useT(adminTexts);
  const able = channels.filter((channel) => endpointsFor(channel, model.kind).length > 0);
  const start = able.find((channel) => channel.id !== model.channel.id) ?? able[0];
  const [channelId, setChannelId] = useState(start?.id);
  const channel = able.find(({ id }) => id === channelId);
  const endpoints = endpointsFor(channel, model.kind);
  const [form, fields] = useZodForm('add-candidate', addCandidateInput, {
    defaultValue: { channelId: start?.id, endpoint: endpoints[0] },
  });
  if (!start) return null;
  return (
    <Form
      method="post"
      preventScrollReset
      {...getFormProps(form)}
      aria-label={t('model.candidates.add')}
      onChange={(event) => {
        const { target } = event;
        if (target instanceof HTMLSelectElement && target.name === 'channelId') setChannelId(target.value);
      }}
    >
      <input type="hidden" name="intent" value="add-candidate" />
      <input type="hidden" name="modelId" value={model.id} />
      <Stack gap="md">
        <FormErrors form={form} />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <SelectField
            field={fields.channelId}
            label={t('model.candidates.channel')}
            options={able.map(({ id, name }) => ({ value: id, label: name }))}
          />
          <SelectField field={fields.endpoint} label={t('model.candidates.endpoint')} options={endpoints} />
          <TextField field={fields.upstreamModel} label={t('model.candidates.upstream')} autoComplete="off" />
        </SimpleGrid>
        <Group>
          <SubmitButton variant="default" name="of" value="add-candidate">
            {t('model.candidates.addLast')}
          </SubmitButton>
        </Group>
      </Stack>
    </Form>
  );
}
