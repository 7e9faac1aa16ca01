import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import type { TFunction } from 'i18next';
import { Trans } from 'react-i18next';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { attentionTexts } from '#app/locales/attention.ts';
import type { DeliveryView } from '#server/generation/webhooks/schemas.ts';
import { DeliveryBadges } from './delivery-badges.tsx';
import classes from './delivery-list.module.css';

/** What upstreams have reported, newest first; what each one sent opens below it. */
export function DeliveryList({ deliveries }: { deliveries: readonly DeliveryView[] }) {
  const t = useT(attentionTexts);
  return (
    <ul className={classes.list} aria-label={t('inbox.list')}>
      {deliveries.map((delivery) => (
        <li key={delivery.id} className={classes.item}>
          <Delivery delivery={delivery} />
        </li>
      ))}
    </ul>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
  const t = useT(attentionTexts);
  const words = useErrorWords();
  return (
    <>
      <div className={classes.head}>
        <p className={classes.channel}>
          <Anchor component={Link} to={`/admin/channels/${delivery.channel.id}`} fw={600}>
            {delivery.channel.name}
          </Anchor>
          <DeliveryBadges delivery={delivery} />
        </p>
        <p className={classes.when}>
          <TimeAgo at={delivery.receivedAt} style="both" />
        </p>
      </div>
      <p className={classes.said}>{whatItSays(delivery, t)}</p>
      <p className={classes.became} data-refusal={delivery.reason ? '' : undefined}>
        {whatBecameOfIt({ ...delivery, reason: delivery.reason && words([delivery.reason]) }, t)}
        {delivery.taskId ? (
          <>
            {' '}
            <Anchor component={Link} to={`/admin/tasks/${delivery.taskId}`} inherit underline="always">
              {t('inbox.showTask')}
            </Anchor>
          </>
        ) : null}
      </p>
      {delivery.deliveries > 1 ? (
        <p className={classes.repeats}>
          <Trans
            t={t}
            i18nKey="inbox.repeats"
            values={{ times: delivery.deliveries }}
            components={{ when: <TimeAgo at={delivery.lastReceivedAt} /> }}
          />
        </p>
      ) : null}
      <Sent delivery={delivery} />
    </>
  );
}

type T = TFunction<'attention'>;

function whatItSays({ upstreamId, upstreamStatus }: DeliveryView, t: T): string {
  if (upstreamId) return t('inbox.job', { id: upstreamId, status: upstreamStatus ?? t('inbox.noStatus') });
  return upstreamStatus ? t('inbox.statusOnly', { status: upstreamStatus }) : t('inbox.noJob');
}

function whatBecameOfIt({ status, reason }: DeliveryView, t: T): string {
  if (status === 'refused') return t('inbox.refused', { reason: reason ?? t('inbox.noReason') });
  return t(`inbox.${status}`);
}

/** As it came: the body is not laid out anew, which could change long numbers. */
function Sent({ delivery }: { delivery: DeliveryView }) {
  const t = useT(attentionTexts);
  const headers = Object.entries(delivery.headers);
  return (
    <details className={classes.sent}>
      <summary>{t('inbox.sent')}</summary>
      {headers.length > 0 ? (
        <CodeBlock
          label={t('inbox.headers')}
          value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      ) : (
        <p className={classes.none}>{t('inbox.noHeaders')}</p>
      )}
      {delivery.body ? (
        <CodeBlock label={t('inbox.body')} value={delivery.body} />
      ) : (
        <p className={classes.none}>{t('inbox.noBody')}</p>
      )}
    </details>
  );
}
