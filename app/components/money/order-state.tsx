import { Button, Group } from '@mantine/core';
import { Link } from '@remix-run/react';
import { ExternalLink } from 'lucide-react';
import { Trans } from 'react-i18next';
import { ActionErrors, ActionForm } from '#app/components/ui/action-form.tsx';
import { ConfirmButton } from '#app/components/ui/confirm-button.tsx';
import { Notice } from '#app/components/ui/error-message.tsx';
import { SubmitButton } from '#app/components/ui/form-field.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useLanguage, useT } from '#app/lib/language.tsx';
import { moneyTexts } from '#app/locales/money.ts';
import type { OrderView } from '#server/orders/schemas.ts';
import { Countdown } from './countdown.tsx';
import classes from './money.module.css';
import { OrderBadge } from './order-badge.tsx';
import { disputeSentence, orderSentence, returnedSentences } from './order-words.ts';

type OrderStateProps = {
  order: OrderView;
  /** The server's time when it made the page. */
  now: Date;
  /** The reader came back from the payment page, which says that it was paid. */
  returned: boolean;
  /** The page has stopped asking for news. */
  stopped: boolean;
};

/** Where an order stands, what happens next, and what can be done about it. */
export function OrderState({ order, now, returned, stopped }: OrderStateProps) {
  const t = useT(moneyTexts);
  const language = useLanguage();
  const pending = order.status === 'pending';
  const confirming = pending && returned;
  const dispute = disputeSentence(order, language);
  return (
    <div className={classes.stack}>
      <div role="status" className={classes.stack}>
        <p className={classes.badgeLine}>
          <OrderBadge status={order.status} dispute={order.dispute} />
        </p>
        {confirming ? (
          <Notice title={t('orderState.confirmingTitle')}>{t('orderState.confirming')}</Notice>
        ) : (
          <p className={classes.text}>{orderSentence(order, language)}</p>
        )}
        {returnedSentences(order, language).map((sentence) => (
          <p key={sentence} className={classes.text}>
            {sentence}
          </p>
        ))}
        {dispute ? <Notice tone="warning">{dispute}</Notice> : null}
      </div>
      {pending ? (
        <p className={classes.text}>
          {t('orderState.timeLeft')} <Countdown until={order.expiresAt} now={now} />
          <span className={`${classes.small} ${classes.deadline}`}>
            <Trans
              t={t}
              i18nKey="orderState.until"
              components={{ moment: <TimeAgo at={order.expiresAt} style="absolute" /> }}
            />
          </span>
        </p>
      ) : null}
      {stopped ? (
        <Notice>
          {t('orderState.stopped')}{' '}
          <Link to={`/orders/${order.id}`} reloadDocument>
            {t('orderState.askAgain')}
          </Link>
        </Notice>
      ) : null}
      <ActionErrors intents={['pay', 'cancel']} />
      {pending ? <Actions order={order} confirming={confirming} /> : null}
      {order.status === 'expired' || order.status === 'cancelled' ? (
        <Group>
          <Button component={Link} to="/credits/buy">
            {t('orderState.chooseAgain')}
          </Button>
        </Group>
      ) : null}
    </div>
  );
}

function Actions({ order, confirming }: { order: OrderView; confirming: boolean }) {
  const t = useT(moneyTexts);
  return (
    <Group gap="sm">
      <PayButton order={order} again={confirming} />
      <ActionForm intent="cancel" values={{ orderId: order.id }}>
        <ConfirmButton variant="default" confirmLabel={t('orderState.cancelIt')}>
          {t('orderState.cancel')}
        </ConfirmButton>
      </ActionForm>
    </Group>
  );
}

/**
 * The way to the payment page. Where it is known it is a plain link: a form must not lead off this site by the page's
 * own security policy. Else the action asks for one.
 */
function PayButton({ order, again }: { order: OrderView; again: boolean }) {
  const t = useT(moneyTexts);
  const look = {
    variant: again ? 'default' : 'filled',
    leftSection: <ExternalLink size={16} aria-hidden="true" />,
  };
  const words = again ? t('orderState.back') : t('orderState.pay');
  if (order.checkoutUrl) {
    return (
      <Button component="a" href={order.checkoutUrl} {...look}>
        {words}
      </Button>
    );
  }
  return (
    <ActionForm intent="pay" values={{ orderId: order.id }}>
      <SubmitButton name="button" value="pay" {...look}>
        {words}
      </SubmitButton>
    </ActionForm>
  );
}
