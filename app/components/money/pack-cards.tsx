import { VisuallyHidden } from '@mantine/core';
import { Form } from '@remix-run/react';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { moneyTexts } from '#app/locales/money.ts';
import type { PackView } from '#server/orders/schemas.ts';
import classes from './money.module.css';

/** A pack, with the key under which pressing its button any number of times makes one order. */
type OfferedPack = PackView & { requestKey: string };

/** What can be bought, each with its own form. */
export function PackCards({ packs }: { packs: readonly OfferedPack[] }) {
  const t = useT(moneyTexts);
  const format = useFormat();
  return (
    <ul className={classes.packs} aria-label={t('packs.list')}>
      {packs.map((pack) => (
        <li key={pack.id} className={classes.pack}>
          <h2 className={classes.packTitle}>{pack.title}</h2>
          <p className={classes.packCredits}>
            {format.integer(pack.credits)} <span>{t('packs.credits', { count: pack.credits })}</span>
          </p>
          <p className={classes.packPrice}>{format.money(pack.amountMinor, pack.currency)}</p>
          <p className={classes.small}>
            {pack.validDays === null ? t('packs.never') : t('packs.days', { count: pack.validDays })}
          </p>
          <Form method="post" className={classes.packForm}>
            <input type="hidden" name="requestKey" value={pack.requestKey} autoComplete="off" />
            <SubmitButton name="packId" value={pack.id} fullWidth>
              <span>
                {t('packs.buy')}
                <VisuallyHidden> {pack.title}</VisuallyHidden>
              </span>
            </SubmitButton>
          </Form>
        </li>
      ))}
    </ul>
  );
}
