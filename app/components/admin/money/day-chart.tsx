import { lazy, Suspense, useEffect, useState } from 'react';
import { useT } from '#app/lib/language.tsx';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { DaySummary } from '#server/billing/schemas.ts';
import classes from './day-chart.module.css';

// Fetched by browsers alone: drawing needs a measured width, and the library is large.
const DayBars = lazy(() => import('./day-bars.tsx'));

/**
 * Credits bought, given and charged per day. Only a picture: everything in it is in the table below, which is what
 * screen readers and browsers without scripts get.
 */
export function DayChart({ days }: { days: readonly DaySummary[] }) {
  const t = useT(adminMoneyTexts);
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  const room = <div className={classes.room}>{t('days.needsScripts')}</div>;
  return (
    <div className={classes.root} aria-hidden="true">
      {hydrated ? (
        <Suspense fallback={<div className={classes.room} />}>
          <DayBars days={days} />
        </Suspense>
      ) : (
        room
      )}
    </div>
  );
}
