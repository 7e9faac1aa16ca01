import { Anchor, Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import classes from './attention-list.module.css';
import { type UncertainItem, whatHappened, whatWeDo } from './attention-words.ts';

/** Tasks whose outcome nobody knows, the one that ends first at the top. */
export function AttentionList({ items }: { items: readonly UncertainItem[] }) {
  return (
    <ul className={classes.list} aria-label="Uncertain tasks">
      {items.map((item) => (
        <li key={item.taskId}>
          <AttentionItem item={item} />
        </li>
      ))}
    </ul>
  );
}

function AttentionItem({ item }: { item: UncertainItem }) {
  const titleId = `attention-${item.taskId}`;
  return (
    <article className={classes.item} aria-labelledby={titleId}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h3 className={classes.title} id={titleId}>
            <Anchor component={Link} to={`/admin/tasks/${item.taskId}`} inherit>
              {item.modelTitle} for {item.userEmail}
            </Anchor>
          </h3>
          <p className={classes.meta}>
            {item.kind} · {item.upstreamModel} on {item.channelName} ·{' '}
            <CreditAmount credits={item.heldCredits} /> held
          </p>
        </div>
        <Button
          component={Link}
          to={`/admin/tasks/${item.taskId}#resolve`}
          rightSection={<ArrowRight size={16} aria-hidden="true" />}
          aria-describedby={titleId}
        >
          Resolve it
        </Button>
      </header>
      <div className={classes.columns}>
        <dl className={classes.facts}>
          <Entry name="What happened">
            {whatHappened(item.reason)}
            {item.sentAt ? (
              <>
                {' '}
                Sent <TimeAgo at={item.sentAt} style="both" />.
              </>
            ) : null}
          </Entry>
          <Entry name="What we still do">
            {whatWeDo(item).map((sentence) => (
              <span key={sentence} className={classes.line}>
                {sentence}
              </span>
            ))}
          </Entry>
          <Entry name="How it ends without you">
            <Ending item={item} />
          </Entry>
        </dl>
        <References item={item} />
      </div>
    </article>
  );
}

function Ending({ item: { until, heldCredits } }: { item: UncertainItem }) {
  const credits = <CreditAmount credits={heldCredits} />;
  if (!until) return <>It waits for evidence, with {credits} held.</>;
  return (
    <>
      On <TimeAgo at={until} style="both" /> it fails, and the user gets {credits} back. A result that comes
      later is still theirs.
    </>
  );
}

function References({ item: { clientRef, upstreamId } }: { item: UncertainItem }) {
  if (!clientRef && !upstreamId) return null;
  return (
    <dl className={classes.facts}>
      {clientRef ? (
        <Entry name="Our reference">
          <CopyField label="Our reference" value={clientRef} />
        </Entry>
      ) : null}
      <Entry name="The provider’s job id">
        {upstreamId ? <CopyField label="The provider’s job id" value={upstreamId} /> : 'Not known.'}
      </Entry>
    </dl>
  );
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.entry}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
