import type { TFunction } from 'i18next';
import { CodeBlock } from '#app/components/ui/code-block.tsx';
import { DefinitionList } from '#app/components/ui/definition-list.tsx';
import { Panel } from '#app/components/ui/panel.tsx';
import { TimeAgo } from '#app/components/ui/time-ago.tsx';
import { useT } from '#app/lib/language.tsx';
import { attentionTexts } from '#app/locales/attention.ts';
import { costsTexts } from '#app/locales/costs.ts';
import type { DispatchView } from '#server/generation/schemas.ts';
import { dispatchCostWords } from './cost/cost-words.ts';
import { useMicros } from './cost/use-micros.ts';
import classes from './dispatch-panel.module.css';

type DispatchPanelProps = {
  dispatches: readonly DispatchView[];
  /** Whether the task has ended: what its calls cost is then as well known as it will be. */
  hasEnded: boolean;
};

/** Every dispatch of a task: whether it was sent, what came back, in the upstream's own (redacted) words. */
export function DispatchPanel({ dispatches, hasEnded }: DispatchPanelProps) {
  const t = useT(attentionTexts);
  return (
    <Panel id="dispatches" title={t('dispatches.title')} description={t('dispatches.lead')}>
      {dispatches.length === 0 ? (
        <p className={classes.none}>{t('dispatches.none')}</p>
      ) : (
        <ol className={classes.list}>
          {dispatches.map((dispatch) => (
            <li key={dispatch.id} className={classes.dispatch}>
              <h3 className={classes.title}>
                {t('dispatches.one', { number: dispatch.number, outcome: outcomeOf(dispatch, t) })}
              </h3>
              <DispatchFacts dispatch={dispatch} hasEnded={hasEnded} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** A word that this page does not know is shown as it is. */
function outcomeOf({ outcome, phase }: DispatchView, t: TFunction<'attention'>): string {
  const word = outcome ?? (phase === 'sent' ? 'sent' : 'intent');
  return t(`dispatches.outcome.${word as 'done'}`, { defaultValue: word.replaceAll('_', ' ') });
}

function DispatchFacts({ dispatch, hasEnded }: { dispatch: DispatchView; hasEnded: boolean }) {
  const t = useT(attentionTexts);
  const costs = useT(costsTexts);
  const micros = useMicros();
  return (
    <>
      <DefinitionList
        entries={[
          [t('dispatches.clientRef'), dispatch.id],
          [t('dispatches.upstreamId'), dispatch.upstreamId],
          [
            t('dispatches.sent'),
            dispatch.sentAt ? <TimeAgo key="sent" at={dispatch.sentAt} style="absolute" /> : null,
          ],
          [
            t('dispatches.answered'),
            dispatch.outcomeAt ? <TimeAgo key="out" at={dispatch.outcomeAt} style="absolute" /> : null,
          ],
          [t('dispatches.knownFrom'), dispatch.evidenceFrom?.replaceAll('_', ' ')],
          [t('dispatches.error'), [dispatch.errorCode, dispatch.errorMessage].filter(Boolean).join(': ')],
          [costs('dispatch.label'), dispatchCostWords(dispatch, hasEnded, costs, micros)],
          [
            t('dispatches.nextLook'),
            dispatch.nextWatchAt ? <TimeAgo key="watch" at={dispatch.nextWatchAt} /> : null,
          ],
        ]}
      />
      {dispatch.evidence === null || dispatch.evidence === undefined ? null : (
        <CodeBlock label={t('dispatches.evidence', { number: dispatch.number })} value={dispatch.evidence} />
      )}
    </>
  );
}
