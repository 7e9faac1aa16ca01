import type { FieldMetadata } from '@conform-to/react';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { CheckboxField, SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';

type Price = { unit: 'call' | 'output' | 'second'; credits: number };

type ModelFieldsProps = {
  fields: Record<
    | 'title'
    | 'description'
    | 'upstreamModel'
    | 'parameters'
    | 'maxPromptCharacters'
    | 'maxReferences'
    | 'referenceRoles'
    | 'createTimeoutSeconds'
    | 'deadlineSeconds'
    | 'chargedWhenCancelled'
    | 'sortOrder',
    // biome-ignore lint/suspicious/noExplicitAny: FieldMetadata is invariant in its schema
    FieldMetadata<any, any, string[]>
  > & {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    price: FieldMetadata<Price, any, string[]>;
  };
};

const PRICE_UNITS = [
  { value: 'call', label: 'per call' },
  { value: 'output', label: 'per output (× n)' },
  { value: 'second', label: 'per second (× seconds)' },
];

/** What the files are for, by their place. A model made through the API may have another list, which is then shown too. */
const ROLES = [
  { value: 'reference', label: 'References' },
  { value: 'first_frame', label: 'First frame' },
  { value: 'first_frame,last_frame', label: 'First frame, then last frame' },
  { value: 'first_frame,reference', label: 'First frame, then references' },
  { value: 'first_frame,last_frame,reference', label: 'First frame, last frame, then references' },
];

function rolesWith(current: string) {
  if (ROLES.some(({ value }) => value === current)) return ROLES;
  return [...ROLES, { value: current, label: current.replaceAll('_', ' ').replaceAll(',', ', then ') }];
}

/** What can be changed of a model at any time; running tasks keep what they were submitted under. */
export function ModelFields({ fields }: ModelFieldsProps) {
  const price = fields.price.getFieldset();
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field={fields.title} label="Title" description="What people choose from." />
        <TextField
          field={fields.upstreamModel}
          label="Upstream model"
          description="The name that the upstream knows."
        />
      </SimpleGrid>
      <TextareaField field={fields.description} label="Description" autosize minRows={2} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field={price.credits} type="number" label="Price in credits" />
        <SelectField field={price.unit} label="Price unit" options={PRICE_UNITS} />
      </SimpleGrid>
      {fields.price.errors ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {fields.price.errors.join(' ')}
        </Text>
      ) : null}
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field={fields.maxPromptCharacters} type="number" label="Longest prompt (characters)" />
        <TextField field={fields.maxReferences} type="number" label="Reference files at most" />
        <SelectField
          field={fields.referenceRoles}
          label="Reference files are"
          description="In this order; the last one counts for all further files."
          options={rolesWith(String(fields.referenceRoles.initialValue ?? ROLES[0]?.value))}
        />
        <TextField
          field={fields.createTimeoutSeconds}
          type="number"
          label="Create time-out (seconds)"
          description="After it, the outcome of a create counts as unknown."
        />
        <TextField
          field={fields.deadlineSeconds}
          type="number"
          label="Deadline (seconds)"
          description="Upstream run time after which a task is overdue."
        />
        <TextField
          field={fields.sortOrder}
          type="number"
          label="Position"
          description="Low numbers come first."
        />
      </SimpleGrid>
      <CheckboxField
        field={fields.chargedWhenCancelled}
        label="Charged when cancelled"
        description="The upstream bills a cancelled job. People see this before they submit."
      />
      <TextareaField
        field={fields.parameters}
        label="Parameters (JSON)"
        description="By name: type integer, choice, text, boolean or seed, with label, limits and default."
        rows={14}
        resize="vertical"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.85rem' } }}
      />
    </Stack>
  );
}
