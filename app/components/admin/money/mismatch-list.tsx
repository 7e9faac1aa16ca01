import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import waiting from '#app/components/admin/waiting-list.module.css';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useFormat } from '#app/lib/use-format.ts';
import { adminMoneyTexts } from '#app/locales/admin-money.ts';
import type { PaymentEventView } from '#server/orders/schemas.ts';
import classes from './mismatch-list.module.css';
import { eventAmount } from './payment-events.tsx';
import { ReasonForm } from './reason-form.tsx';

/** Payments that fit no order: nothing was credited, and a person decides what becomes of the money. */
export function MismatchList({ events }: { events: readonly PaymentEventView[] }) {
  const t = useT(adminMoneyTexts);
  return (
    <ul className={waiting.list} aria-label={t('mismatches.title')}>
      {events.map((event) => (
        <li key={event.id}>
          <Mismatch event={event} />
        </li>
      ))}
    </ul>
  );
}

function Mismatch({ event }: { event: PaymentEventView }) {
  const t = useT(adminMoneyTexts);
  const format = useFormat();
  const titleId = `mismatch-${event.id}`;
  const amount = eventAmount(event, format) ?? t('mismatches.unknownAmount');
  return (
    <article className={waiting.item} aria-labelledby={titleId}>
      <h2 className={waiting.title} id={titleId}>
        {t('mismatches.through', { amount, provider: event.provider })}
      </h2>
      <p className={classes.why}>{event.note ?? t('mismatches.noFit')}</p>
      <div className={classes.columns}>
        <DefinitionList
          entries={[
            [t('payments.came'), <TimeAgo key="came" at={event.receivedAt} style="both" />],
            [t('payments.notification'), `${event.type} · ${event.eventId}`],
            [t('payments.payment'), event.paymentId],
            [
              t('orders.order'),
              event.orderId ? <OrderLink key="order" orderId={event.orderId} /> : t('mismatches.noOrder'),
            ],
          ]}
        />
        <div className={classes.deeds}>
          {event.paymentId ? (
            <ReasonForm
              intent="return-payment"
              id={event.id}
              values={{ eventId: event.id, verdict: 'return' }}
              label={t('mismatches.returnAmount', { amount })}
              question={t('mismatches.returnWhy')}
              button={t('mismatches.return')}
              confirm={t('mismatches.returnNow')}
            />
          ) : null}
          <ReasonForm
            intent="dismiss-payment"
            id={event.id}
            values={{ eventId: event.id, verdict: 'dismiss' }}
            label={t('mismatches.leaveAmount', { amount })}
            question={t('mismatches.leaveWhy')}
            button={t('mismatches.leave')}
            confirm={t('mismatches.leaveNow')}
          />
        </div>
      </div>
    </article>
  );
}

function OrderLink({ orderId }: { orderId: string }) {
  const t = useT(adminMoneyTexts);
  return (
    <Anchor component={Link} to={`/admin/orders/${orderId}`}>
      {t('refunds.showOrder')}
    </Anchor>
  );
}
