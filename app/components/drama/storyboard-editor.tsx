import { Button, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { Notice } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { dramaTexts } from '#app/locales/drama.ts';
import type { DramaPlan, DramaView } from '#server/generation/drama/schemas.ts';
import { AddButton, CharacterFields, ListError, SceneFields } from './cast-fields.tsx';
import type { DramaAnswer } from './drama-answer.ts';
import { saidWords, thingName } from './drama-words.ts';
import classes from './editor.module.css';
import { EditorBar } from './editor-bar.tsx';
import { LeaveWarning } from './leave-warning.tsx';
import { MOST, UNDO_ID } from './plan-edit.ts';
import type { PlanErrors } from './plan-errors.ts';
import { ShotCard } from './shot-card.tsx';
import { usePlanEditor } from './use-plan-editor.ts';
import { type AskPlanQuote, usePlanQuote } from './use-plan-quote.ts';

type StoryboardEditorProps = {
  view: Pick<DramaView, 'taskId' | 'planVersion' | 'quote' | 'settings'> & { plan: DramaPlan };
  /** The answer to a form that was sent without JavaScript. */
  answer?: DramaAnswer;
  askQuote?: AskPlanQuote;
};

/** The review page's storyboard: everything the film is made of, to change before anything is paid for. */
export function StoryboardEditor({ view, answer, askQuote }: StoryboardEditorProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const { taskId, settings } = view;
  const editor = usePlanEditor(view);
  const { state, dispatch, isDirty } = editor;
  const errors = inWords(editor.errors, words);
  const { plan } = state;
  // A saved plan without a price is asked about, too: the answer says why.
  const isUnpriced = isDirty || view.quote === null;
  const fresh = usePlanQuote({ taskId, plan: isUnpriced && editor.isValid ? plan : null, askQuote });
  const price = isUnpriced ? fresh : { quote: view.quote, problem: null };
  const hydrated = useHydrated();
  const ref = useRef<HTMLFieldSetElement>(null);
  useFocusRequest(state.focus);
  const hasClips = settings.models.clip !== undefined;
  const hasVoice = settings.models.voice !== undefined;

  const save = () => {
    // Errors are drawn first, then the first field that has one takes the focus.
    if (!editor.save())
      setTimeout(() => ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), 0);
  };

  return (
    <div className={classes.editor}>
      <noscript>
        <Notice tone="note">{t('editor.noScript')}</Notice>
      </noscript>
      <fieldset ref={ref} className={classes.editor} disabled={!hydrated} aria-label={t('editor.label')}>
        <div className={classes.film}>
          <TextInput
            label={t('editor.title')}
            value={plan.title}
            error={errors.title}
            onChange={(event) =>
              dispatch({ type: 'words', field: 'title', value: event.currentTarget.value })
            }
          />
          <Textarea
            label={t('editor.style')}
            description={t('editor.styleHint')}
            rows={2}
            value={plan.style}
            error={errors.style}
            onChange={(event) =>
              dispatch({ type: 'words', field: 'style', value: event.currentTarget.value })
            }
          />
        </div>
        <CharacterFields plan={plan} errors={errors} hasVoice={hasVoice} dispatch={dispatch} />
        <SceneFields plan={plan} errors={errors} dispatch={dispatch} />
        <section aria-labelledby="shots-heading" className={classes.cast}>
          <h3 id="shots-heading" className={classes.subtitle}>
            {t('editor.shots')}
          </h3>
          <ListError message={errors.shots} />
          <ol className={classes.shots}>
            {plan.shots.map((shot, index) => (
              <ShotCard
                key={shot.id}
                shot={shot}
                index={index}
                count={plan.shots.length}
                scenes={plan.scenes}
                characters={plan.characters}
                errors={errorsOfShot(errors, index)}
                cost={price.quote?.shots[shot.id]}
                hasClips={hasClips}
                hasVoice={hasVoice}
                mayAdd={plan.shots.length < MOST.shots}
                dispatch={dispatch}
              />
            ))}
          </ol>
          <AddButton
            disabled={plan.shots.length >= MOST.shots}
            onClick={() => dispatch({ type: 'add', list: 'shots' })}
          >
            {t('editor.addShot')}
          </AddButton>
        </section>
      </fieldset>
      <EditorBar editor={editor} price={price} taskId={taskId} answer={answer} onSave={save}>
        {state.undo ? (
          <p className={classes.undo}>
            {t('editor.wasRemoved', { name: thingName(state.undo.thing, t) })}
            <Button
              id={UNDO_ID}
              size="compact-sm"
              variant="default"
              onClick={() => dispatch({ type: 'undo' })}
            >
              {t('editor.putBack')}
            </Button>
          </p>
        ) : null}
      </EditorBar>
      <div role="status" aria-live="polite" className={classes.hidden}>
        {state.said ? saidWords(state.said, t) : null}
      </div>
      <LeaveWarning isDirty={isDirty} />
    </div>
  );
}

/** Sentences of the schema in the page's language. */
function inWords(errors: PlanErrors, words: ReturnType<typeof useServerWords>): PlanErrors {
  return Object.fromEntries(Object.entries(errors).map(([path, message]) => [path, words(message) ?? '']));
}

/** `shots.3.seconds` of the fourth shot as `seconds`. */
function errorsOfShot(errors: PlanErrors, index: number): Record<string, string> | undefined {
  const prefix = `shots.${index}.`;
  const own = Object.entries(errors).filter(([path]) => path.startsWith(prefix));
  return own.length === 0
    ? undefined
    : Object.fromEntries(own.map(([path, message]) => [path.slice(prefix.length), message]));
}

function useFocusRequest(focus: { id: string; count: number } | null): void {
  useEffect(() => {
    if (focus) document.getElementById(focus.id)?.focus();
  }, [focus]);
}

/** What is typed into React's inputs before it runs would be lost, so nothing can be. */
function useHydrated(): boolean {
  const [hydrated, setHydrated] = useState(false);
  useEffect(() => setHydrated(true), []);
  return hydrated;
}
