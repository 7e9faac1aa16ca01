import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { ReactNode } from 'react';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { ToneBadge } from '#app/components/ui/tone-badge.tsx';
import { useT } from '#app/lib/language.tsx';
import { notificationsTexts } from '#app/locales/notifications.ts';
import { type AttemptView, type DeliveryView, taskPath } from '#server/notifications/schemas.ts';
import { textKey } from '../notification-words.ts';
import classes from './delivery-log.module.css';
import { DELIVERY_LOOKS } from './endpoint-words.ts';

type DeliveryLogProps<Delivery extends DeliveryView> = {
  deliveries: readonly Delivery[];
  /** Below the head: whose it is. */
  about?: (delivery: Delivery) => ReactNode;
  /** The way to send it once more. */
  actions: (delivery: Delivery) => ReactNode;
};

/** What was sent, newest first, with each try and what it was answered. */
export function DeliveryLog<Delivery extends DeliveryView>(props: DeliveryLogProps<Delivery>) {
  const t = useT(notificationsTexts);
  return (
    <ul className={classes.list} aria-label={t('log.label')}>
      {props.deliveries.map((delivery) => (
        <li key={delivery.id} className={classes.item}>
          <Head delivery={delivery} />
          {props.about?.(delivery)}
          <Became delivery={delivery} />
          <Tries delivery={delivery} />
          <div className={classes.actions}>{props.actions(delivery)}</div>
        </li>
      ))}
    </ul>
  );
}

function Head({ delivery }: { delivery: DeliveryView }) {
  const t = useT(notificationsTexts);
  return (
    <div className={classes.head}>
      <p className={classes.event}>
        <span className={classes.type}>{t(`webhooks.event.${textKey(delivery.eventType)}`)}</span>
        <ToneBadge {...DELIVERY_LOOKS[delivery.status]}>{t(`log.status.${delivery.status}`)}</ToneBadge>
      </p>
      <p className={classes.quiet}>
        <TimeAgo at={delivery.createdAt} style="both" />
      </p>
    </div>
  );
}

function Became({ delivery }: { delivery: DeliveryView }) {
  const t = useT(notificationsTexts);
  const { taskId, attempts, lastError, nextAttemptAt, body } = delivery;
  return (
    <p className={classes.quiet}>
      {t('log.tries', { count: attempts.length })}
      {lastError ? ` · ${lastError}` : null}
      {nextAttemptAt && attempts.length > 0 ? (
        <>
          {' · '}
          {t('log.next')} <TimeAgo at={nextAttemptAt} />
        </>
      ) : null}
      {taskId ? (
        <>
          {' · '}
          <Anchor component={Link} to={taskPath(String(body.data.kind), taskId)} inherit underline="always">
            {t('log.task')}
          </Anchor>
        </>
      ) : null}
    </p>
  );
}

function Tries({ delivery }: { delivery: DeliveryView }) {
  const t = useT(notificationsTexts);
  return (
    <details className={classes.details}>
      <summary>{t('log.body')}</summary>
      <p className={classes.quiet}>
        {t('log.id')}: <code>{delivery.id}</code>
      </p>
      <CodeBlock label={t('log.body')} value={delivery.body} />
      {delivery.attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </details>
  );
}

function Attempt({ attempt }: { attempt: AttemptView }) {
  const t = useT(notificationsTexts);
  const { number, at, durationMs, statusCode, answer, error } = attempt;
  return (
    <div className={classes.attempt}>
      <p>
        <strong>{t('log.attempt', { number })}</strong>
        {' · '}
        <TimeAgo at={at} style="absolute" />
        {' · '}
        {statusCode === null ? t('log.noAnswer') : t('log.answered', { status: statusCode })}
        {' · '}
        {t('log.took', { ms: durationMs })}
      </p>
      {error ? <p className={classes.quiet}>{error}</p> : null}
      {answer ? <CodeBlock label={t('log.answer')} value={answer} /> : null}
    </div>
  );
}
