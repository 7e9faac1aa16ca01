import { Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { CREATE_METHODS } from '#server/providers/custom/schemas.ts';
import { MONOSPACE } from './custom-styles.ts';
import type { DescriptionField } from './use-custom-form.ts';

const AUTH = [
  { value: 'bearer', label: 'Authorization: Bearer …' },
  { value: 'header', label: 'In a header of its own' },
  { value: 'query', label: 'In the address (?name=…)' },
  { value: 'none', label: 'There is no key' },
];
const BODIES = [
  { value: 'json', label: 'JSON body' },
  { value: 'form', label: 'Form (multipart)' },
  { value: 'query', label: 'In the address' },
];
const MEDIA = [
  { value: 'data_uri', label: 'data:image/png;base64,…' },
  { value: 'base64', label: 'Base64 alone' },
  { value: 'file', label: 'Attached to the form' },
];

/** Where the key goes. It is no panel of its own: it stands with the account. */
export function AuthFields({ field }: { field: DescriptionField }) {
  const settings = field.getFieldset();
  const auth = settings.auth.getFieldset();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <SelectField field={auth.style} label="The key goes" options={AUTH} />
        <TextField field={auth.name} label="Header or parameter" placeholder="X-Api-Key" autoComplete="off" />
        <TextField field={auth.prefix} label="Word before the key" placeholder="Key" autoComplete="off" />
      </SimpleGrid>
      <TextareaField
        field={settings.headers}
        label="Further headers"
        description="One per line. Never a key."
        placeholder="X-Version: 2"
        autosize
        minRows={1}
        styles={MONOSPACE}
      />
    </>
  );
}

/** The one request that may cost money. */
export function CreatePanel({ field }: { field: DescriptionField }) {
  const create = field.getFieldset().create.getFieldset();
  return (
    <Panel
      title="Create"
      description="The request that starts a generation. It is sent once, whatever happens."
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <SelectField
            field={create.method}
            label="Create method"
            description="What the vendor asks for."
            options={CREATE_METHODS}
          />
          <TextField
            field={create.path}
            label="Create path"
            description="Below the base URL; {model} and {ref} are filled in."
            autoComplete="off"
          />
          <SelectField field={create.body} label="Sent as" options={BODIES} />
          <SelectField field={create.media} label="Reference files are written as" options={MEDIA} />
        </SimpleGrid>
        <TextareaField
          field={create.template}
          label="Template"
          description="JSON. A name whose placeholder has no value is left out."
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          styles={MONOSPACE}
        />
        <Text size="sm" c="dimmed">
          <Code>{'{{prompt}}'}</Code> <Code>{'{{model}}'}</Code> <Code>{'{{kind}}'}</Code>{' '}
          <Code>{'{{params.size}}'}</Code> and any other parameter of the model,{' '}
          <Code>{'{{firstFrame}}'}</Code> <Code>{'{{lastFrame}}'}</Code> <Code>{'{{references}}'}</Code>{' '}
          <Code>{'{{references.0}}'}</Code>, <Code>{'{{ref}}'}</Code> our reference,{' '}
          <Code>{'{{webhookUrl}}'}</Code> where deliveries go. After a bar: <Code>|number</Code>{' '}
          <Code>|text</Code> <Code>|seconds</Code> for "5s".
        </Text>
      </Stack>
    </Panel>
  );
}
