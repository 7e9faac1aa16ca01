import { Anchor, Button } from '@mantine/core';
import { Link } from '@remix-run/react';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Trans } from 'react-i18next';
import { CopyField } from '#app/components/ui/copy-field.tsx';
import { CreditAmount } from '#app/components/ui/credit-amount.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import { statesTexts } from '#app/locales/states.ts';
import classes from './attention-list.module.css';
import { type UncertainItem, whatWeDo } from './attention-words.ts';
import waiting from './waiting-list.module.css';

/** Tasks whose outcome nobody knows, the one that ends first at the top. */
export function AttentionList({ items }: { items: readonly UncertainItem[] }) {
  const t = useT(attentionTexts);
  return (
    <ul className={waiting.list} aria-label={t('uncertain.list')}>
      {items.map((item) => (
        <li key={item.taskId}>
          <AttentionItem item={item} />
        </li>
      ))}
    </ul>
  );
}

function AttentionItem({ item }: { item: UncertainItem }) {
  const t = useT(attentionTexts);
  const titleId = `attention-${item.taskId}`;
  return (
    <article className={waiting.item} aria-labelledby={titleId}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h3 className={waiting.title} id={titleId}>
            <Anchor component={Link} to={`/admin/tasks/${item.taskId}`} inherit>
              {t('uncertain.name', { model: item.modelTitle, email: item.userEmail })}
            </Anchor>
          </h3>
          <Meta item={item} />
        </div>
        <Button
          component={Link}
          to={`/admin/tasks/${item.taskId}#resolve`}
          rightSection={<ArrowRight size={16} aria-hidden="true" />}
          aria-describedby={titleId}
        >
          {t('uncertain.resolve')}
        </Button>
      </header>
      <div className={classes.columns}>
        <dl className={classes.facts}>
          <Entry name={t('uncertain.happened')}>
            {t(`uncertain.reason.${item.reason}`)}{' '}
            {item.sentAt ? (
              <Trans
                t={t}
                i18nKey="uncertain.sent"
                components={{ when: <TimeAgo at={item.sentAt} style="both" /> }}
              />
            ) : null}
          </Entry>
          <Entry name={t('uncertain.still')}>
            {whatWeDo(item, t).map((sentence) => (
              <span key={sentence} className={classes.line}>
                {sentence}
              </span>
            ))}
          </Entry>
          <Entry name={t('uncertain.ends')}>
            <Ending item={item} />
          </Entry>
        </dl>
        <References item={item} />
      </div>
    </article>
  );
}

function Meta({ item }: { item: UncertainItem }) {
  const t = useT(attentionTexts);
  const states = useT(statesTexts);
  const { upstreamModel, channelName: channel } = item;
  return (
    <p className={classes.meta}>
      <Trans
        t={t}
        i18nKey="uncertain.meta"
        values={{ kind: states(`kind.${item.kind}`), upstreamModel, channel }}
        components={{ credits: <CreditAmount credits={item.heldCredits} /> }}
      />
      {item.parentId ? (
        <>
          {' · '}
          <Anchor component={Link} to={`/admin/tasks/${item.parentId}`} inherit>
            {t('uncertain.parent')}
          </Anchor>
        </>
      ) : null}
    </p>
  );
}

function Ending({ item: { until, heldCredits } }: { item: UncertainItem }) {
  const t = useT(attentionTexts);
  const credits = <CreditAmount credits={heldCredits} />;
  if (!until) return <Trans t={t} i18nKey="uncertain.endsNever" components={{ credits }} />;
  const when = <TimeAgo at={until} style="both" />;
  return <Trans t={t} i18nKey="uncertain.endsAt" components={{ credits, when }} />;
}

function References({ item: { clientRef, upstreamId } }: { item: UncertainItem }) {
  const t = useT(attentionTexts);
  if (!clientRef && !upstreamId) return null;
  return (
    <dl className={classes.facts}>
      {clientRef ? (
        <Entry name={t('uncertain.reference')}>
          <CopyField label={t('uncertain.reference')} value={clientRef} />
        </Entry>
      ) : null}
      <Entry name={t('uncertain.jobId')}>
        {upstreamId ? <CopyField label={t('uncertain.jobId')} value={upstreamId} /> : t('uncertain.notKnown')}
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
