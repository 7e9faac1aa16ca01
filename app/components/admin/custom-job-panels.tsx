import { SimpleGrid, Stack } from '@mantine/core';
import { CheckboxField, SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { CANCEL_METHODS, POLL_METHODS } from '#server/providers/custom/schemas.ts';
import { MONOSPACE } from './custom-styles.ts';
import type { DescriptionField } from './use-custom-form.ts';

type PanelProps = { field: DescriptionField };

const ENCODINGS = ['url', 'base64', 'text', 'file'] as const;

/** How a job is followed. All of it may be empty: then the create's answer is the result. */
export function JobPanel({ field }: PanelProps) {
  const t = useT(adminTexts);
  const settings = field.getFieldset();
  const poll = settings.poll.getFieldset();
  const result = settings.result.getFieldset();
  const cancel = settings.cancel.getFieldset();
  return (
    <Panel id="job" title={t('custom.job.title')} description={t('custom.job.description')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField field={poll.method} label={t('custom.job.pollMethod')} options={POLL_METHODS} />
          <TextField
            field={poll.path}
            label={t('custom.job.pollPath')}
            placeholder="/jobs/{id}"
            autoComplete="off"
          />
        </SimpleGrid>
        <TextareaField
          field={poll.template}
          label={t('custom.job.pollBody')}
          description={t('custom.job.pollBodyHelp')}
          placeholder={'{"id":"{{id}}"}'}
          autosize
          minRows={1}
          styles={MONOSPACE}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={result.path}
            label={t('custom.job.resultPath')}
            description={t('custom.job.resultPathHelp')}
            placeholder="/jobs/{id}/result"
            autoComplete="off"
          />
          <SelectField
            field={result.as}
            label={t('custom.job.resultAs')}
            description={t('custom.job.resultAsHelp')}
            options={[
              { value: 'json', label: t('custom.job.resultJson') },
              { value: 'file', label: t('custom.job.resultFile') },
            ]}
          />
          <TextField
            field={cancel.path}
            label={t('custom.job.cancelPath')}
            description={t('custom.job.cancelPathHelp')}
            placeholder="/jobs/{id}/cancel"
            autoComplete="off"
          />
          <SelectField
            field={cancel.method}
            label={t('custom.job.cancelMethod')}
            description={t('custom.create.methodHelp')}
            options={CANCEL_METHODS}
          />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

/** Where the values are in the answers. */
export function PlacesPanel({ field }: PanelProps) {
  const t = useT(adminTexts);
  const settings = field.getFieldset();
  const fields = settings.fields.getFieldset();
  const usual = t('custom.places.usual');
  const places = [
    {
      field: fields.id,
      label: t('custom.places.id'),
      description: t('custom.places.idHelp'),
      placeholder: 'data.task_id',
    },
    {
      field: fields.status,
      label: t('custom.places.status'),
      description: t('custom.places.statusHelp'),
      placeholder: 'data.status',
    },
    { field: fields.progress, label: t('custom.places.progress'), description: usual },
    { field: fields.errorMessage, label: t('custom.places.errorMessage'), description: usual },
    { field: fields.errorCode, label: t('custom.places.errorCode'), description: usual },
    {
      field: fields.retryAfter,
      label: t('custom.places.retryAfter'),
      description: t('custom.places.retryAfterHelp'),
    },
  ];
  return (
    <Panel id="places" title={t('custom.places.title')} description={t('custom.places.description')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField
            field={fields.encoding}
            label={t('custom.places.encoding')}
            description={t('custom.places.encodingHelp')}
            options={ENCODINGS.map((value) => ({ value, label: t(`custom.places.encodings.${value}`) }))}
          />
          <TextField
            field={fields.result}
            label={t('custom.places.result')}
            description={t('custom.places.resultHelp')}
            autoComplete="off"
          />
          {places.map(({ field: place, label, description, placeholder }) => (
            <TextField
              key={label}
              field={place}
              label={label}
              description={description}
              placeholder={placeholder}
              autoComplete="off"
            />
          ))}
        </SimpleGrid>
        <TextareaField
          field={settings.words}
          label={t('custom.places.words')}
          description={t('custom.places.wordsHelp')}
          placeholder="painting = running"
          autosize
          minRows={2}
          styles={MONOSPACE}
        />
      </Stack>
    </Panel>
  );
}

/** What few vendors need. */
export function SpecialPanel({ field }: PanelProps) {
  const t = useT(adminTexts);
  const settings = field.getFieldset();
  const accepted = settings.accepted.getFieldset();
  const refused = settings.refused.getFieldset();
  const lookup = settings.lookup.getFieldset();
  return (
    <Panel id="special" title={t('custom.special.title')} description={t('custom.special.description')}>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={accepted.path}
            label={t('custom.special.accepted')}
            placeholder="code"
            autoComplete="off"
          />
          <TextField
            field={accepted.values}
            label={t('custom.special.acceptedValues')}
            placeholder="0, ok"
            autoComplete="off"
          />
          <TextField
            field={refused.path}
            label={t('custom.special.refused')}
            description={t('custom.special.refusedHelp')}
            placeholder="code"
            autoComplete="off"
          />
          <TextField
            field={refused.values}
            label={t('custom.special.refusedValues')}
            description={t('custom.special.refusedValuesHelp')}
            placeholder="1001, 1002"
            autoComplete="off"
          />
          <TextField
            field={settings.check.getFieldset().path}
            label={t('custom.special.check')}
            description={t('custom.special.checkHelp')}
            placeholder="/account"
            autoComplete="off"
          />
          <TextField
            field={settings.webhook.getFieldset().id}
            label={t('custom.special.webhook')}
            description={t('custom.special.webhookHelp', { name: '{{webhookUrl}}' })}
            autoComplete="off"
          />
          <TextField
            field={lookup.path}
            label={t('custom.special.lookup')}
            description={t('custom.special.lookupHelp')}
            placeholder="/jobs/by-ref/{ref}"
            autoComplete="off"
          />
          <TextField
            field={lookup.id}
            label={t('custom.special.lookupId')}
            description={t('custom.special.lookupIdHelp')}
            autoComplete="off"
          />
          <TextField
            field={lookup.echo}
            label={t('custom.special.lookupEcho')}
            description={t('custom.special.lookupEchoHelp')}
            placeholder="items.*.ref"
            autoComplete="off"
          />
        </SimpleGrid>
        <CheckboxField
          field={lookup.reliable}
          label={t('custom.special.reliable')}
          description={t('custom.special.reliableHelp')}
        />
      </Stack>
    </Panel>
  );
}
