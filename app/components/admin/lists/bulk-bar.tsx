import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { Form, useLocation } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { adminListsTexts } from '#app/locales/admin-lists.ts';
import classes from './lists.module.css';

/** Rows have forms of their own, so the boxes name the form that they belong to. */
const FORM_ID = 'bulk-choice';
const BOXES = `input[name="id"][form="${FORM_ID}"]`;

/** The box by which a row is chosen. `what` names the row. */
export function RowCheck({ id, what }: { id: string; what: string }) {
  const t = useT(adminListsTexts);
  return <Checkbox size="md" name="id" value={id} form={FORM_ID} aria-label={t('bulk.choose', { what })} />;
}

type BulkBarProps = {
  /** The page that shows what was chosen and asks again. */
  to: string;
  deeds: readonly { value: string; label: string }[];
};

/** What to do with the rows that are chosen; nothing is done before the next page. Works without a script. */
export function BulkBar({ to, deeds }: BulkBarProps) {
  const { search } = useLocation();
  const t = useT(adminListsTexts);
  return (
    <Form method="get" action={to} id={FORM_ID} className={classes.bulk} aria-label={t('bulk.label')}>
      <input type="hidden" name="back" value={search} />
      <NativeSelect label={t('bulk.deed')} name="do" data={[...deeds]} />
      <Button type="submit" variant="default" rightSection={<ArrowRight size={16} aria-hidden="true" />}>
        {t('bulk.goOn')}
      </Button>
      <Button type="submit" name="all" value="on" variant="subtle">
        {t('bulk.goOnAll')}
      </Button>
      <ChooseAll key={search} />
    </Form>
  );
}

function ChooseAll() {
  const t = useT(adminListsTexts);
  const [isLive, setLive] = useState(false);
  useEffect(() => setLive(true), []);
  return (
    <Checkbox
      className={classes.all}
      data-waits={isLive ? undefined : true}
      label={t('bulk.all')}
      onChange={({ currentTarget: { checked } }) => {
        for (const box of document.querySelectorAll<HTMLInputElement>(BOXES)) box.checked = checked;
      }}
    />
  );
}
