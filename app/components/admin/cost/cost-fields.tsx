import type { FieldMetadata, FormMetadata } from '@conform-to/react';
import { Button, Fieldset, SimpleGrid, Stack, Text } from '@mantine/core';
import { Plus } from 'lucide-react';
import type { z } from 'zod';
import { SelectField, TextField } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { costsTexts } from '#app/locales/costs.ts';
import { COST_OF_FAILURES } from '#server/generation/cost/schemas.ts';
import { MAX_TIERS, PRICE_UNITS } from '#server/generation/price/schemas.ts';
import type { costForm } from './cost-form-schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: FieldMetadata is invariant in its schema
export type CostField = FieldMetadata<z.input<typeof costForm>, any, string[]>;

type CostFieldsProps = {
  field: CostField;
  // biome-ignore lint/suspicious/noExplicitAny: FormMetadata is invariant in its schema
  form: FormMetadata<any, string[]>;
};

/** What the vendor takes; nobody has to know it. Empty rows are no tiers. */
export function CostFields({ field, form }: CostFieldsProps) {
  const t = useT(costsTexts);
  const words = useErrorWords();
  const cost = field.getFieldset();
  return (
    <Fieldset legend={t('fields.legend')}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('fields.help')}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <SelectField
            field={cost.unit}
            label={t('fields.unit')}
            options={(['none', ...PRICE_UNITS] as const).map((value) => ({
              value,
              label: t(`fields.units.${value}`),
            }))}
          />
          <TextField
            field={cost.amount}
            label={t('fields.amount')}
            description={t('fields.amountHelp')}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField
            field={cost.currency}
            label={t('fields.currency')}
            description={t('fields.currencyHelp')}
            maxLength={3}
            autoComplete="off"
          />
          <TextField
            field={cost.blockTokens}
            type="number"
            label={t('fields.block')}
            description={t('fields.blockHelp')}
          />
          <TextField
            field={cost.outputAmount}
            label={t('fields.outputAmount')}
            description={t('fields.outputAmountHelp')}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField
            field={cost.credit}
            label={t('fields.credit')}
            description={t('fields.creditHelp')}
            inputMode="decimal"
            autoComplete="off"
          />
        </SimpleGrid>
        <SelectField
          field={cost.failures}
          label={t('fields.failures')}
          options={COST_OF_FAILURES.map((value) => ({ value, label: t(`fields.failuresOf.${value}`) }))}
        />
        {field.errors ? (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {words(field.errors)}
          </Text>
        ) : null}
        <CostTiers field={field} form={form} />
      </Stack>
    </Fieldset>
  );
}

function CostTiers({ field, form }: CostFieldsProps) {
  const t = useT(costsTexts);
  const { tiers } = field.getFieldset();
  const rows = tiers.getFieldList();
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('fields.tiers')}
      </Text>
      <Text size="sm" c="dimmed">
        {t('fields.tiersHelp')}
      </Text>
      {rows.map((row, index) => {
        const tier = row.getFieldset();
        return (
          <SimpleGrid key={row.key} cols={{ base: 1, sm: 2 }}>
            <TextField
              field={tier.when}
              label={t('fields.tierWhen', { number: index + 1 })}
              autoComplete="off"
            />
            <TextField
              field={tier.amount}
              label={t('fields.tierAmount', { number: index + 1 })}
              inputMode="decimal"
              autoComplete="off"
            />
          </SimpleGrid>
        );
      })}
      {rows.length < MAX_TIERS ? (
        <Button
          {...form.insert.getButtonProps({ name: tiers.name })}
          type="submit"
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          style={{ alignSelf: 'start' }}
        >
          {t('fields.addRow')}
        </Button>
      ) : null}
    </Stack>
  );
}
