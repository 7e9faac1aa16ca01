import { DataTable } from '#app/components/ui/data-table.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { type Format, useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { PaymentEventView } from '#server/orders/schemas.ts';
import classes from './money.module.css';
import { MoneyBadge } from './money-badge.tsx';

/** What the payment service reported of an order, and what came of it. */
export function PaymentEvents({ events }: { events: readonly PaymentEventView[] }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  return (
    <DataTable
      label={t('payments.title')}
      rows={events}
      rowKey={(event) => event.id}
      columns={[
        {
          head: t('payments.notification'),
          primary: true,
          cell: (event) => (
            <div className={classes.who}>
              <strong>{event.type}</strong>
              <span className={classes.note}>
                {event.provider} · {event.eventId}
              </span>
            </div>
          ),
        },
        {
          head: t('payments.outcome'),
          cell: (event) => <MoneyBadge of="paymentOutcome" state={event.outcome} />,
        },
        { head: t('payments.amount'), align: 'end', cell: (event) => eventAmount(event, format) ?? '–' },
        { head: t('payments.note'), cell: (event) => <Note event={event} /> },
        { head: t('payments.came'), cell: (event) => <TimeAgo at={event.receivedAt} style="absolute" /> },
      ]}
    />
  );
}

function Note({ event: { note, resolution, resolvedAt } }: { event: PaymentEventView }) {
  return (
    <div className={classes.who}>
      {note ?? (resolution ? null : '–')}
      {resolution ? (
        <span className={classes.note}>
          {resolution}
          {resolvedAt ? (
            <>
              , <TimeAgo at={resolvedAt} style="absolute" />
            </>
          ) : null}
        </span>
      ) : null}
    </div>
  );
}

/** What a notification says was paid, when it says both parts. */
export function eventAmount({ amountMinor, currency }: PaymentEventView, format: Format): string | null {
  return amountMinor === null || currency === null ? null : format.money(amountMinor, currency);
}
