import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Form, Link, useLocation } from '@remix-run/react';
import { Download, Search } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { FilterFold } from '#app/components/ui/filter-fold.tsx';
import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import classes from './lists.module.css';

type Option = { value: string; label: string };

type FilterFormProps = {
  children: ReactNode;
  /** How the list can be sorted, and how it is. */
  sorts: readonly Option[];
  sort: string;
  /** Where the filtered list comes as CSV. */
  csv: string;
};

/** Filters and order of a list, kept in the address, and the same list as a file. Going back fills the fields anew. */
export function FilterForm({ children, sorts, sort, csv }: FilterFormProps) {
  const { pathname, search } = useLocation();
  const t = useT(adminListsTexts);
  const query = new URLSearchParams(search);
  query.delete('cursor');
  const narrowed = [...query].some(([, value]) => value !== '');
  const text = query.toString();
  return (
    <Fragment key={text}>
      <FilterFold open={narrowed}>{t('filters.fold')}</FilterFold>
      <Form method="get" className={classes.bar} role="search">
        {children}
        <NativeSelect label={t('filters.sort')} name="sort" defaultValue={sort} data={[...sorts]} />
        <div className={classes.end}>
          <Button type="submit" leftSection={<Search size={16} aria-hidden="true" />}>
            {t('filters.show')}
          </Button>
          {narrowed ? (
            <Button component={Link} to={pathname} variant="default">
              {t('filters.clear')}
            </Button>
          ) : null}
          <Button
            component="a"
            href={text ? `${csv}?${text}` : csv}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden="true" />}
          >
            {t('filters.csv')}
          </Button>
        </div>
      </Form>
    </Fragment>
  );
}

type ChoiceFilterProps = { name: string; label: string; value: string; options: readonly Option[] };

/** One of several, or any. */
export function ChoiceFilter({ name, label, value, options }: ChoiceFilterProps) {
  const t = useT(adminListsTexts);
  return (
    <NativeSelect
      label={label}
      name={name}
      defaultValue={value}
      data={[{ value: '', label: t('filters.any') }, ...options]}
    />
  );
}

/** First and last day of what is shown. */
export function DaysFilter({ from, to }: { from: string; to: string }) {
  const t = useT(adminListsTexts);
  return (
    <>
      <TextInput type="date" label={t('filters.from')} name="from" defaultValue={from} />
      <TextInput type="date" label={t('filters.to')} name="to" defaultValue={to} />
    </>
  );
}

/** Free text. */
export function TextFilter({ name, label, value }: { name: string; label: string; value: string }) {
  return <TextInput label={label} name={name} defaultValue={value} type="search" className={classes.wide} />;
}
