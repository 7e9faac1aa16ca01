import type { FieldMetadata, FormMetadata } from '@conform-to/react';
import { Button, Fieldset, SimpleGrid, Stack, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import { SelectField, TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminTexts } from '#app/locales/admin.ts';
import { MAX_TIERS, type PriceUnit } from '#server/generation/price/schemas.ts';

type Price = {
  unit: PriceUnit;
  credits: number;
  blockTokens?: number | undefined;
  tiers?: { when?: string | undefined; credits?: number | undefined }[] | undefined;
};

// biome-ignore lint/suspicious/noExplicitAny: FieldMetadata is invariant in its schema
export type PriceField = FieldMetadata<Price, any, string[]>;

const PRICE_UNITS = ['call', 'output', 'second', 'tokens'] as const satisfies readonly PriceUnit[];

type PriceFieldsProps = {
  field: PriceField;
  // biome-ignore lint/suspicious/noExplicitAny: FormMetadata is invariant in its schema
  form: FormMetadata<any, string[]>;
};

/** What a model costs: a base, and tiers for values of its parameters. Empty rows are no tiers. */
export function PriceFields({ field, form }: PriceFieldsProps) {
  const t = useT(adminTexts);
  const price = field.getFieldset();
  const rows = price.tiers.getFieldList();
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextField field={price.credits} type="number" label={t('model.price.credits')} />
        <SelectField
          field={price.unit}
          label={t('model.price.unit')}
          options={PRICE_UNITS.map((value) => ({ value, label: t(`model.price.units.${value}`) }))}
        />
        <TextField
          field={price.blockTokens}
          type="number"
          label={t('model.price.block')}
          description={t('model.price.blockHelp')}
        />
      </SimpleGrid>
      {field.errors ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {field.errors.join(' ')}
        </Text>
      ) : null}
      <Fieldset legend={t('model.price.tiers')}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('model.price.tiersHelp')}
          </Text>
          {rows.map((row, index) => {
            const tier = row.getFieldset();
            return (
              <SimpleGrid key={row.key} cols={{ base: 1, sm: 2 }}>
                <TextField
                  field={tier.when}
                  label={t('model.price.tierWhen', { number: index + 1 })}
                  autoComplete="off"
                />
                <TextField
                  field={tier.credits}
                  type="number"
                  label={t('model.price.tierCredits', { number: index + 1 })}
                />
              </SimpleGrid>
            );
          })}
          {rows.length < MAX_TIERS ? (
            <Button
              {...form.insert.getButtonProps({ name: price.tiers.name })}
              type="submit"
              variant="default"
              size="xs"
              leftSection={<Plus size={14} aria-hidden />}
              style={{ alignSelf: 'start' }}
            >
              {t('model.price.addRow')}
            </Button>
          ) : null}
        </Stack>
      </Fieldset>
    </Stack>
  );
}
