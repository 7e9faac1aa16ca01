import { Anchor } from '@mantine/core';
import { Link } from '@remix-run/react';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import type { DeliveryView } from '#server/generation/webhooks/schemas.ts';
import { DeliveryBadges } from './delivery-badges.tsx';
import classes from './delivery-list.module.css';

/** What upstreams have reported, newest first; what each one sent opens below it. */
export function DeliveryList({ deliveries }: { deliveries: readonly DeliveryView[] }) {
  return (
    <ul className={classes.list} aria-label="Deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.id} className={classes.item}>
          <Delivery delivery={delivery} />
        </li>
      ))}
    </ul>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }) {
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
      <p className={classes.said}>{whatItSays(delivery)}</p>
      <p className={classes.became}>
        {whatBecameOfIt(delivery)}
        {delivery.taskId ? (
          <>
            {' '}
            <Anchor component={Link} to={`/admin/tasks/${delivery.taskId}`} inherit underline="always">
              Show the task
            </Anchor>
          </>
        ) : null}
      </p>
      {delivery.deliveries > 1 ? (
        <p className={classes.repeats}>
          Came {delivery.deliveries} times, last <TimeAgo at={delivery.lastReceivedAt} />. A repeat changes
          nothing.
        </p>
      ) : null}
      <Sent delivery={delivery} />
    </>
  );
}

function whatItSays({ upstreamId, upstreamStatus }: DeliveryView): string {
  if (upstreamId) return `Job ${upstreamId}: ${upstreamStatus ?? 'no status given'}`;
  return upstreamStatus ? `Status ${upstreamStatus}, without a job id` : 'No job id could be read.';
}

function whatBecameOfIt({ status, reason }: DeliveryView): string {
  switch (status) {
    case 'matched':
      return 'Its task was made due at once, and the job asked for itself.';
    case 'pending':
      return 'No task has this job yet. It is matched as soon as one does.';
    case 'refused':
      return `Not believed: ${reason ?? 'no reason was noted.'}`;
  }
}

/** As it came: the body is not laid out anew, which could change long numbers. */
function Sent({ delivery }: { delivery: DeliveryView }) {
  const headers = Object.entries(delivery.headers);
  return (
    <details className={classes.sent}>
      <summary>What it sent, with secrets taken out</summary>
      {headers.length > 0 ? (
        <CodeBlock label="Headers" value={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />
      ) : (
        <p className={classes.none}>None of its headers is kept.</p>
      )}
      {delivery.body ? (
        <CodeBlock label="Body" value={delivery.body} />
      ) : (
        <p className={classes.none}>Its body was empty.</p>
      )}
    </details>
  );
}
