import type { FieldMetadata, FormMetadata } from '@conform-to/react';
import { SimpleGrid, Stack } from '@mantine/core';
import { CheckboxField, SelectField, TextareaField, TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { type CostField, CostFields } from './cost/cost-fields.tsx';
import { type PriceField, PriceFields } from './price-fields.tsx';

type ModelFieldsProps = {
  // biome-ignore lint/suspicious/noExplicitAny: FormMetadata is invariant in its schema
  form: FormMetadata<any, string[]>;
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
  > & { price: PriceField; cost: CostField };
};

/** What the files are for, by their place. A model made through the API may have another list, which is then shown too. */
const ROLES = [
  'reference',
  'first_frame',
  'first_frame,last_frame',
  'first_frame,reference',
  'first_frame,last_frame,reference',
] as const;

function rolesWith(current: string, word: (roles: (typeof ROLES)[number]) => string) {
  const known = ROLES.map((value) => ({ value: value as string, label: word(value) }));
  if (known.some(({ value }) => value === current)) return known;
  return [...known, { value: current, label: current.replaceAll('_', ' ').replaceAll(',', ', ') }];
}

/** What can be changed of a model at any time; running tasks keep what they were submitted under. */
export function ModelFields({ fields, form }: ModelFieldsProps) {
  const t = useT(adminTexts);
  return (
    <Stack gap="md">
      {/* Enter presses a form's first button: it must save, not add a row. */}
      <button type="submit" hidden tabIndex={-1} aria-hidden />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField
          field={fields.title}
          label={t('model.fields.title')}
          description={t('model.fields.titleHelp')}
        />
        <TextField
          field={fields.upstreamModel}
          label={t('model.fields.upstream')}
          description={t('model.fields.upstreamHelp')}
        />
      </SimpleGrid>
      <TextareaField field={fields.description} label={t('model.fields.description')} autosize minRows={2} />
      <PriceFields field={fields.price} form={form} />
      <CostFields field={fields.cost} form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextField field={fields.maxPromptCharacters} type="number" label={t('model.fields.maxPrompt')} />
        <TextField field={fields.maxReferences} type="number" label={t('model.fields.maxReferences')} />
        <SelectField
          field={fields.referenceRoles}
          label={t('model.fields.roles')}
          description={t('model.fields.rolesHelp')}
          options={rolesWith(String(fields.referenceRoles.initialValue ?? ROLES[0]), (roles) =>
            t(`model.roles.${roles}`),
          )}
        />
        <TextField
          field={fields.createTimeoutSeconds}
          type="number"
          label={t('model.fields.timeout')}
          description={t('model.fields.timeoutHelp')}
        />
        <TextField
          field={fields.deadlineSeconds}
          type="number"
          label={t('model.fields.deadline')}
          description={t('model.fields.deadlineHelp')}
        />
        <TextField
          field={fields.sortOrder}
          type="number"
          label={t('model.fields.position')}
          description={t('model.fields.positionHelp')}
        />
      </SimpleGrid>
      <CheckboxField
        field={fields.chargedWhenCancelled}
        label={t('model.fields.charged')}
        description={t('model.fields.chargedHelp')}
      />
      <TextareaField
        field={fields.parameters}
        label={t('model.fields.parameters')}
        description={t('model.fields.parametersHelp')}
        rows={14}
        resize="vertical"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.85rem' } }}
      />
    </Stack>
  );
}
