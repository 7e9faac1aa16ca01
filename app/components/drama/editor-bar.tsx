import { Button, Group } from '@mantine/core';
import { Link } from '@remix-run/react';
import { Clapperboard, Save } from 'lucide-react';
import type { ReactNode } from 'react';
import { ErrorMessage, Notice } from '#app/components/ui/error-message.tsx';
import { formatCredits, formatDuration, formatInteger } from '#app/lib/format.ts';
import type { DramaQuoteView } from '#server/generation/drama/schemas.ts';
import type { DramaAnswer } from './drama-answer.ts';
import classes from './editor.module.css';
import { planSeconds, startWords } from './plan-cost.ts';
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
  const { quote, problem } = price;
  const { isDirty, isSaving, base, state, errors } = editor;
  const start = useDramaFetcher(`drama-start-${taskId}`);
  const refusal = isDirty || start.isBusy ? undefined : (start.error ?? answer?.error);
  const wrong = Object.keys(errors).length;
  const canStart = !isDirty && !isSaving && quote?.affordable === true;

  return (
    <section className={classes.bar} aria-label="Save and start">
      {children}
      <Conflict editor={editor} />
      {wrong > 0 ? (
        <ErrorMessage
          message={`${wrong === 1 ? 'One field needs' : `${wrong} fields need`} your attention before this can be saved.`}
        />
      ) : null}
      {problem && wrong === 0 ? <ErrorMessage title="This cannot be started yet" message={problem} /> : null}
      {editor.error && wrong === 0 ? <ErrorMessage message={editor.error} /> : null}
      {refusal ? <ErrorMessage message={refusal} /> : null}
      <div className={classes.barRow}>
        <div>
          <p className={classes.total} data-testid="total">
            <strong>{quote ? formatCredits(quote.totalCredits) : 'Price not known yet'}</strong>{' '}
            <span>
              {formatInteger(state.plan.shots.length)} {state.plan.shots.length === 1 ? 'shot' : 'shots'} ·{' '}
              {formatDuration(planSeconds(state.plan) * 1000)}
              {quote && quote.characterCredits > 0
                ? ` · ${formatCredits(quote.characterCredits)} of it for the looks of the characters`
                : ''}
              {quote ? ` · you have ${formatInteger(quote.balanceCredits)}` : ''}
            </span>
          </p>
          <StartNote isDirty={isDirty} quote={quote} />
        </div>
        <Group gap="xs" wrap="wrap">
          {isDirty ? (
            <Button variant="subtle" color="gray" onClick={editor.discard} disabled={isSaving}>
              Discard changes
            </Button>
          ) : null}
          <Button
            variant="default"
            leftSection={<Save size={16} aria-hidden />}
            onClick={onSave}
            loading={isSaving}
            disabled={!isDirty || editor.conflict !== null}
          >
            Save
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
              Start the shots
            </Button>
          </start.Form>
        </Group>
      </div>
    </section>
  );
}

function StartNote({ isDirty, quote }: { isDirty: boolean; quote: DramaQuoteView | null }) {
  const isShort = quote !== null && !quote.affordable;
  return (
    <p id="start-note" className={classes.note} data-short={isShort || undefined}>
      {isDirty ? 'There are changes that are not saved. Save them, then start. ' : null}
      {quote ? startWords(quote) : null}
      {isShort ? (
        <>
          {' '}
          Shorten the film, or <Link to="/credits">get credits</Link>.
        </>
      ) : null}
    </p>
  );
}

function Conflict({ editor }: { editor: PlanEditor }) {
  if (!editor.conflict) return null;
  return (
    <Notice tone="error" title="This storyboard was changed somewhere else">
      <p className={classes.note}>
        In another tab or by another program, while you were changing it here. Nothing of yours is lost: keep
        your version and save it over the newer one, or drop it and go on with the newer one.
      </p>
      <Group gap="xs" mt="xs">
        <Button size="compact-sm" onClick={editor.keepMine}>
          Keep mine
        </Button>
        <Button size="compact-sm" variant="default" onClick={editor.takeTheirs}>
          Take the newer one
        </Button>
      </Group>
    </Notice>
  );
}
