import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Form } from '@remix-run/react';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { moneyTexts } from '#app/locales/money.ts';
import { type LedgerFilters as Filters, LEDGER_KINDS } from '#server/billing/schemas.ts';
import { ledgerSearch } from './ledger-query.ts';
import { ledgerKindLabel } from './ledger-words.ts';
import classes from './money.module.css';

type LedgerFiltersProps = {
  filters: Filters;
  /** Names the form. */
  label: string;
  /** Stands beside the button. */
  children?: ReactNode;
};

/** Narrows a ledger by kind and UTC days, in the address. */
export function LedgerFilters({ filters, label, children }: LedgerFiltersProps) {
  const t = useT(moneyTexts);
  const language = useLanguage();
  const { kind, from, to } = filters;
  const backwards = from !== undefined && to !== undefined && from > to;
  return (
    <Form
      method="get"
      className={classes.filters}
      role="search"
      aria-label={label}
      key={ledgerSearch(filters)}
      preventScrollReset
    >
      <NativeSelect
        label={t('ledgerFilters.kind')}
        name="kind"
        defaultValue={kind ?? ''}
        data={[
          { value: '', label: t('ledgerFilters.any') },
          ...LEDGER_KINDS.map((value) => ({ value, label: ledgerKindLabel(value, language) })),
        ]}
      />
      <TextInput type="date" label={t('ledgerFilters.from')} name="from" defaultValue={from} />
      <TextInput
        type="date"
        label={t('ledgerFilters.to')}
        name="to"
        defaultValue={to}
        error={backwards ? t('ledgerFilters.backwards') : undefined}
      />
      <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
        {t('ledgerFilters.show')}
      </Button>
      {children}
    </Form>
  );
}
