import { Button, Group } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Clapperboard, Save } from 'lucide-react';
import type { ReactNode } from 'react';
import { Trans } from 'react-i18next';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ErrorMessage, Notice } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useSentenceGap } from '#app/lib/sentence-gap.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaPlan, DramaQuoteView } from '#server/generation/drama/schemas.ts';
import type { DramaAnswer } from './drama-answer.ts';
import classes from './editor.module.css';
import { planSeconds } from './plan-cost.ts';
import { useDramaFetcher } from './use-drama-fetcher.ts';
import type { PlanEditor } from './use-plan-editor.ts';
import type { PlanPrice } from './use-plan-quote.ts';

type EditorBarProps = {
  editor: PlanEditor;
  /** Of the plan as it stands on the page. */
  price: PlanPrice;
  taskId: string;
  answer: DramaAnswer | undefined;
  onSave: () => void;
  children: ReactNode;
};

/** Below the storyboard, always in sight: what the shots cost, save, and start. */
export function EditorBar({ editor, price, taskId, answer, onSave, children }: EditorBarProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const { quote, problem } = price;
  const { isDirty, isSaving, base, state, errors } = editor;
  const start = useDramaFetcher(`drama-start-${taskId}`);
  const refusal = isDirty || start.isBusy ? undefined : (start.error ?? answer?.error);
  const wrong = Object.keys(errors).length;
  const canStart = !isDirty && !isSaving && quote?.affordable === true;

  return (
    <section className={classes.bar} aria-label={t('bar.label')}>
      {children}
      <Conflict editor={editor} />
      {wrong > 0 ? <ErrorMessage message={t('bar.wrong', { count: wrong })} /> : null}
      {problem && wrong === 0 ? (
        <ErrorMessage title={t('bar.cannot')} message={words(problem) ?? ''} />
      ) : null}
      {editor.error && wrong === 0 ? <ErrorMessage message={words(editor.error) ?? ''} /> : null}
      {refusal ? <ErrorMessage message={words(refusal) ?? ''} /> : null}
      <div className={classes.barRow}>
        <div>
          <Total plan={state.plan} quote={quote} />
          <StartNote isDirty={isDirty} quote={quote} />
        </div>
        <Group gap="xs" wrap="wrap">
          {isDirty ? (
            <Button variant="subtle" color="gray" onClick={editor.discard} disabled={isSaving}>
              {t('bar.discard')}
            </Button>
          ) : null}
          <Button
            variant="default"
            leftSection={<Save size={16} aria-hidden />}
            onClick={onSave}
            loading={isSaving}
            disabled={!isDirty || editor.conflict !== null}
          >
            {t('bar.save')}
          </Button>
          <start.Form method="post" action={`/workbench/dramas/${taskId}`} preventScrollReset>
            <input type="hidden" name="planVersion" value={base.planVersion} autoComplete="off" />
            {quote ? (
              <input type="hidden" name="quotedCredits" value={quote.totalCredits} autoComplete="off" />
            ) : null}
            <Button
              type="submit"
              name="intent"
              value="start"
              leftSection={<Clapperboard size={16} aria-hidden />}
              loading={start.isBusy}
              disabled={!canStart}
              aria-describedby="start-note"
            >
              {t('bar.start')}
            </Button>
          </start.Form>
        </Group>
      </div>
    </section>
  );
}

/** What the shots cost as they stand on the page, with what there is. */
function Total({ plan, quote }: { plan: DramaPlan; quote: DramaQuoteView | null }) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const facts = [
    t('bar.shots', { count: plan.shots.length }),
    format.duration(planSeconds(plan) * 1000),
    quote && quote.characterCredits > 0
      ? t('bar.looks', { credits: format.credits(quote.characterCredits) })
      : null,
    quote ? t('bar.balance', { balance: format.integer(quote.balanceCredits) }) : null,
  ];
  return (
    <p className={classes.total} data-testid="total">
      <strong>{quote ? format.credits(quote.totalCredits) : t('bar.noPrice')}</strong>{' '}
      <span>{facts.filter((fact) => fact !== null).join(' · ')}</span>
    </p>
  );
}

function StartNote({ isDirty, quote }: { isDirty: boolean; quote: DramaQuoteView | null }) {
  const t = useT(dramaTexts);
  const gap = useSentenceGap();
  const isShort = quote !== null && !quote.affordable;
  return (
    <p id="start-note" className={classes.note} data-short={isShort || undefined}>
      {isDirty ? `${t('bar.unsaved')}${gap}` : null}
      {quote ? <StartWords quote={quote} /> : null}
    </p>
  );
}

/** What starting holds and what it means, in a sentence. */
function StartWords({ quote }: { quote: DramaQuoteView }): ReactNode {
  const t = useT(dramaTexts);
  const format = useFormat();
  const { totalCredits } = quote;
  const credits = format.credits(totalCredits);
  if (totalCredits === 0) return t('bar.free');
  if (quote.affordable) return t('bar.held', { count: totalCredits, credits });
  return (
    <Trans
      t={t}
      i18nKey="bar.short"
      values={{ credits, balance: format.credits(quote.balanceCredits) }}
      components={{ credits: <Link to="/credits" /> }}
    />
  );
}

function Conflict({ editor }: { editor: PlanEditor }) {
  const t = useT(dramaTexts);
  if (!editor.conflict) return null;
  return (
    <Notice tone="error" title={t('conflict.title')}>
      <p className={classes.note}>{t('conflict.text')}</p>
      <Group gap="xs" mt="xs">
        <Button size="compact-sm" onClick={editor.keepMine}>
          {t('conflict.mine')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={editor.takeTheirs}>
          {t('conflict.theirs')}
        </Button>
      </Group>
    </Notice>
  );
}
