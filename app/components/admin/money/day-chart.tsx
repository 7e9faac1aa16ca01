import { lazy, Suspense, useEffect, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { DaySummary } from '#server/billing/schemas.ts';
import classes from './day-chart.module.css';

// Fetched by browsers alone: drawing needs a measured width, and the library is large.
const DayBars = lazy(() => import('./day-bars.tsx'));

const SERIES = [
  { name: 'purchasedCredits', color: 'var(--money-bought)' },
  { name: 'givenCredits', color: 'var(--money-given)' },
  { name: 'chargedCredits', color: 'var(--money-charged)' },
] as const;

/**
 * Credits bought, given and charged per day. Only a picture: everything in it is in the table below, which is what
 * screen readers and browsers without scripts get.
 */
export function DayChart({ days }: { days: readonly DaySummary[] }) {
  const t = useT(adminMoneyTexts);
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const room = <div className={classes.room}>{t('days.needsScripts')}</div>;
  const series = SERIES.map((one) => ({ ...one, label: t(`days.${one.name}`) }));
  return (
    <div className={classes.root} aria-hidden="true">
      <ul className={classes.legend}>
        {series.map(({ name, color, label }) => (
          <li key={name} className={classes.key}>
            <span className={classes.swatch} style={{ background: color }} />
            {label}
          </li>
        ))}
      </ul>
      {hydrated ? (
        <Suspense fallback={<div className={classes.room} />}>
          <DayBars days={days} series={series} />
        </Suspense>
      ) : (
        room
      )}
    </div>
  );
}
