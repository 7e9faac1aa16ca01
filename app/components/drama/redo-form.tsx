import { Button, Checkbox, Textarea } from '@mantine/core';
import { Link } from '@remix-run/react';
import { RotateCcw } from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react';
import { Trans } from 'react-i18next';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { useFormat } from '#app/lib/use-format.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaPlan, DramaShot, DramaView, ShotPart } from '#server/generation/drama/schemas.ts';
import classes from './drama.module.css';
import type { DramaAnswer } from './drama-answer.ts';
import { creditsOf } from './plan-cost.ts';
import { redoField, WORDS_OF } from './redo-fields.ts';
import { useDramaFetcher } from './use-drama-fetcher.ts';
import { type AskPlanQuote, usePlanQuote } from './use-plan-quote.ts';

type RedoFormProps = {
  view: Pick<DramaView, 'taskId' | 'quote' | 'settings'> & { plan: DramaPlan };
  shot: DramaShot;
  /** Place in the film, from 0. */
  index: number;
  requestKey: string;
  answer?: DramaAnswer;
  askQuote?: AskPlanQuote;
};

/** Makes parts of one shot anew, with other words or the same. Everything else is taken over; only these are charged. */
export function RedoForm({ view, shot, index, requestKey, answer, askQuote }: RedoFormProps) {
  const t = useT(dramaTexts);
  const format = useFormat();
  const said = useServerWords();
  const { taskId, plan, settings } = view;
  const { key, renew } = useRequestKey(`${requestKey}-${shot.id}`);
  const form = useDramaFetcher(`drama-redo-${taskId}-${shot.id}`, renew);
  const parts = partsOf(settings);
  const [ticked, setTicked] = useState<ReadonlySet<ShotPart>>(new Set());
  const [words, setWords] = useState<Partial<Record<ShotPart, string>>>({});
  const hydrated = useHydrated();
  const costId = useId();
  const changed = useMemo(() => planWith(plan, shot, words), [plan, shot, words]);
  const isUnpriced = changed !== null || view.quote === null;
  const asked = usePlanQuote({
    taskId,
    plan: isUnpriced && ticked.size > 0 ? (changed ?? plan) : null,
    askQuote,
    after: form.reply,
  });
  const quote = isUnpriced ? asked.quote : view.quote;
  const cost = quote?.shots[shot.id];
  const credits = cost ? [...ticked].reduce((sum, part) => sum + creditsOf(cost, part), 0) : null;
  const isShort = quote !== null && credits !== null && credits > quote.balanceCredits;
  const mine = answer?.intent === 'redo' && answer.shotId === shot.id ? answer.error : undefined;
  const error = form.isBusy ? undefined : said(form.error ?? mine ?? asked.problem);

  const tick = (part: ShotPart, isTicked: boolean) =>
    setTicked((before) => {
      const next = new Set(before);
      if (isTicked) next.add(part);
      else next.delete(part);
      // A clip is made of its picture: without a new one the film would not show the new picture.
      if (part === 'picture' && isTicked && parts.includes('clip')) next.add('clip');
      return next;
    });

  return (
    <details className={classes.redo}>
      <summary>{t('redo.title', { number: index + 1 })}</summary>
      <form.Form
        method="post"
        action={`/workbench/dramas/${taskId}`}
        className={classes.redoForm}
        aria-label={t('redo.title', { number: index + 1 })}
      >
        <input type="hidden" name="shotId" value={shot.id} />
        <input type="hidden" name="requestKey" value={key} autoComplete="off" />
        {hydrated && credits !== null ? (
          <input type="hidden" name="quotedCredits" value={credits} autoComplete="off" />
        ) : null}
        {parts.map((part) => (
          <div key={part} className={classes.redoPart}>
            <Checkbox
              name={redoField(part)}
              label={
                cost
                  ? t(`redo.partFor.${part}`, { credits: format.credits(creditsOf(cost, part)) })
                  : t(`redo.part.${part}`)
              }
              checked={ticked.has(part)}
              onChange={(event) => tick(part, event.currentTarget.checked)}
            />
            {ticked.has(part) || !hydrated ? (
              <Textarea
                name={redoField(part, 'words')}
                label={t(`redo.words.${part}`)}
                description={t(`redo.hint.${part}`)}
                rows={2}
                value={words[part] ?? shot[WORDS_OF[part]]}
                onChange={(event) => setWords({ ...words, [part]: event.currentTarget.value })}
              />
            ) : null}
          </div>
        ))}
        {ticked.has('picture') && parts.includes('clip') && !ticked.has('clip') ? (
          <p className={classes.dim}>{t('redo.oldPicture')}</p>
        ) : null}
        {error ? <ErrorMessage message={error} /> : null}
        <p id={costId} className={classes.dim} data-short={isShort || undefined}>
          <CostSentence
            count={ticked.size}
            credits={credits}
            isShort={isShort}
            balanceCredits={quote?.balanceCredits ?? 0}
          />
        </p>
        <Button
          type="submit"
          name="intent"
          value="redo"
          leftSection={<RotateCcw size={16} aria-hidden />}
          loading={form.isBusy}
          disabled={hydrated && (ticked.size === 0 || credits === null || isShort)}
          aria-describedby={costId}
        >
          {credits !== null && ticked.size > 0
            ? t('redo.makeFor', { credits: format.credits(credits) })
            : t('redo.make')}
        </Button>
      </form.Form>
    </details>
  );
}

type CostSentenceProps = {
  count: number;
  credits: number | null;
  isShort: boolean;
  balanceCredits: number;
};

function CostSentence({ count, credits, isShort, balanceCredits }: CostSentenceProps): ReactNode {
  const t = useT(dramaTexts);
  const format = useFormat();
  if (count === 0) return t('redo.choose');
  if (credits === null) return t('redo.asking');
  if (!isShort) return t('redo.meaning');
  return (
    <Trans
      t={t}
      i18nKey="redo.short"
      values={{ balance: format.credits(balanceCredits) }}
      components={{ credits: <Link to="/credits" /> }}
    />
  );
}

/** What this film has of a shot. */
function partsOf(settings: DramaView['settings']): ShotPart[] {
  const parts: ShotPart[] = ['picture'];
  if (settings.models.clip !== undefined) parts.push('clip');
  if (settings.models.voice !== undefined) parts.push('voice');
  return parts;
}

/** The plan with other words in one shot; null where none are other. */
function planWith(
  plan: DramaPlan,
  shot: DramaShot,
  words: Partial<Record<ShotPart, string>>,
): DramaPlan | null {
  const change = Object.fromEntries(
    (['picture', 'clip', 'voice'] as const).flatMap((part) => {
      const text = words[part]?.trim();
      return text && text !== shot[WORDS_OF[part]] ? [[WORDS_OF[part], text]] : [];
    }),
  );
  if (Object.keys(change).length === 0) return null;
  return { ...plan, shots: plan.shots.map((each) => (each.id === shot.id ? { ...each, ...change } : each)) };
}

function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  return hydrated;
}
