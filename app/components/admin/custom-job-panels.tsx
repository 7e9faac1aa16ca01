import { SimpleGrid, Stack } from '@mantine/core';
import { CheckboxField, SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { CANCEL_METHODS, POLL_METHODS } from '#server/providers/custom/schemas.ts';
import { MONOSPACE } from './custom-styles.ts';
import type { DescriptionField } from './use-custom-form.ts';

type PanelProps = { field: DescriptionField };

const RESULT_HOPS = [
  { value: 'json', label: 'An answer to read' },
  { value: 'file', label: 'The file itself' },
];
const ENCODINGS = [
  { value: 'url', label: 'Addresses of files' },
  { value: 'base64', label: 'Files in base64' },
  { value: 'text', label: 'Text' },
  { value: 'file', label: 'The whole answer is the file' },
];

/** How a job is followed. All of it may be empty: then the create's answer is the result. */
export function JobPanel({ field }: PanelProps) {
  const settings = field.getFieldset();
  const poll = settings.poll.getFieldset();
  const result = settings.result.getFieldset();
  const cancel = settings.cancel.getFieldset();
  return (
    <Panel
      title="Follow the job"
      description="Leave the poll path empty when the create answers with the result."
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField field={poll.method} label="Poll method" options={POLL_METHODS} />
          <TextField field={poll.path} label="Poll path" placeholder="/jobs/{id}" autoComplete="off" />
        </SimpleGrid>
        <TextareaField
          field={poll.template}
          label="Poll body"
          description="For a poll by POST only."
          placeholder={'{"id":"{{id}}"}'}
          autosize
          minRows={1}
          styles={MONOSPACE}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={result.path}
            label="Result path"
            description="When the poll's answer has no result."
            placeholder="/jobs/{id}/result"
            autoComplete="off"
          />
          <SelectField
            field={result.as}
            label="The result path gives"
            description="A file is fetched with the key."
            options={RESULT_HOPS}
          />
          <TextField
            field={cancel.path}
            label="Cancel path"
            description="Empty when a job cannot be cancelled."
            placeholder="/jobs/{id}/cancel"
            autoComplete="off"
          />
          <SelectField
            field={cancel.method}
            label="Cancel method"
            description="What the vendor asks for."
            options={CANCEL_METHODS}
          />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

/** Where the values are in the answers. */
export function PlacesPanel({ field }: PanelProps) {
  const settings = field.getFieldset();
  const fields = settings.fields.getFieldset();
  const places = [
    {
      field: fields.id,
      label: 'Job id',
      description: "In the create's answer.",
      placeholder: 'data.task_id',
    },
    {
      field: fields.status,
      label: 'Status',
      description: "In the poll's answer.",
      placeholder: 'data.status',
    },
    { field: fields.progress, label: 'Progress', description: 'Empty: the usual places.' },
    { field: fields.errorMessage, label: 'Error message', description: 'Empty: the usual places.' },
    { field: fields.errorCode, label: 'Error code', description: 'Empty: the usual places.' },
    { field: fields.retryAfter, label: 'Seconds to wait', description: 'When the vendor asks for a pause.' },
  ];
  return (
    <Panel
      title="Where things are"
      description="Names with dots between; * for every entry of a list, such as data.images.*.url. Several places: commas between, the first that holds something counts."
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField
            field={fields.encoding}
            label="The result is"
            description="In the last answer of a generation."
            options={ENCODINGS}
          />
          <TextField
            field={fields.result}
            label="Result"
            description="Empty: addresses are looked for by themselves."
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
          label="Status words"
          description="One per line: word = queued, running, succeeded, failed or cancelled. Common words are known already; an unknown one counts as running."
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
  const settings = field.getFieldset();
  const accepted = settings.accepted.getFieldset();
  const refused = settings.refused.getFieldset();
  const lookup = settings.lookup.getFieldset();
  return (
    <Panel title="Special cases" description="May all be empty.">
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextField
            field={accepted.path}
            label="Taken when the field"
            placeholder="code"
            autoComplete="off"
          />
          <TextField
            field={accepted.values}
            label="has one of these values"
            placeholder="0, ok"
            autoComplete="off"
          />
          <TextField
            field={refused.path}
            label="Refused when the field"
            description="A 2xx that surely started nothing."
            placeholder="code"
            autoComplete="off"
          />
          <TextField
            field={refused.values}
            label="has one of these refusals"
            description="Anything else that names no job is uncertain."
            placeholder="1001, 1002"
            autoComplete="off"
          />
          <TextField
            field={settings.check.getFieldset().path}
            label="Free call"
            description="Tests the key; must cost nothing."
            placeholder="/account"
            autoComplete="off"
          />
          <TextField
            field={settings.webhook.getFieldset().id}
            label="Job id in a delivery"
            description="When the template has {{webhookUrl}}."
            autoComplete="off"
          />
          <TextField
            field={lookup.path}
            label="Look-up path"
            description="Finds a job by {ref} after a lost answer."
            placeholder="/jobs/by-ref/{ref}"
            autoComplete="off"
          />
          <TextField
            field={lookup.id}
            label="Job id in the look-up"
            description="Empty: as in the create's answer."
            autoComplete="off"
          />
          <TextField
            field={lookup.echo}
            label="Reference in the look-up"
            description="Needed when the look-up gives a list."
            placeholder="items.*.ref"
            autoComplete="off"
          />
        </SimpleGrid>
        <CheckboxField
          field={lookup.reliable}
          label="A 404 of the look-up proves that there is no such job"
          description="The task then fails and is refunded. Tick it only when the vendor promises it."
        />
      </Stack>
    </Panel>
  );
}
