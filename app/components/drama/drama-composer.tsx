import { getFormProps } from '@conform-to/react';
import { Button } from '@mantine/core';
import { Form, useNavigation } from '@remix-run/react';
import { Clapperboard } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { PromptApi } from '#app/components/composer/prompt-api.ts';
import { usePromptDialogs } from '#app/components/composer/prompt-dialogs.tsx';
import { PromptField, type PromptTool } from '#app/components/composer/prompt-field.tsx';
import { ReferenceUpload } from '#app/components/composer/reference-upload.tsx';
import { useSendFile } from '#app/components/composer/send-reference.ts';
import { startNote } from '#app/components/composer/start-note.tsx';
import { usePromptText } from '#app/components/composer/use-prompt-text.ts';
import { type SendFile, useUploads } from '#app/components/composer/use-uploads.ts';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { useZodForm } from '#app/lib/use-zod-form.ts';
import { dramaTexts } from '#app/locales/drama.ts';
import { MAX_SHOTS } from '#server/generation/drama/schemas.ts';
import { Choice } from './choice.tsx';
import classes from './composer.module.css';
import { ComposerCost } from './composer-cost.tsx';
import { DocumentUpload } from './document-upload.tsx';
import { DRAMA_FORM, type DramaFormReply, dramaForm } from './drama-form.ts';
import { FilmOptions } from './film-options.tsx';
import type { DramaModelLists } from './model-choice.tsx';
import { MusicUpload } from './music-upload.tsx';
import { useFormDraft } from './use-form-draft.ts';
import type { AskOrderQuote, OrderToQuote } from './use-order-quote.ts';

export const DRAMA_DRAFT = 'sidelane-drama-draft';
const TOOLS: readonly PromptTool[] = ['history', 'templates'];
const MAX_REFERENCES = 4;
const MAX_TEXT = 30_000;

type DramaComposerProps = {
  models: DramaModelLists;
  /** Of this page as the server made it. */
  requestKey: string;
  reply: DramaFormReply | undefined;
  askQuote?: AskOrderQuote;
  sendFile?: SendFile;
  promptApi?: PromptApi;
};

/** The form that orders a short film: an idea or a script, who makes what, and how the film is to look. */
export function DramaComposer({
  models,
  requestKey,
  reply,
  askQuote,
  promptApi,
  ...props
}: DramaComposerProps) {
  const t = useT(dramaTexts);
  const words = useServerWords();
  const sendFile = useSendFile(props.sendFile);
  const navigation = useNavigation();
  const busy = navigation.state !== 'idle' && navigation.formMethod === 'POST';
  const { key } = useRequestKey(requestKey);
  const formRef = useRef<HTMLFormElement>(null);
  const costId = useId();
  const textRef = useRef<HTMLTextAreaElement>(null);
  const text = usePromptText(textRef);
  const dialogs = usePromptDialogs({ api: promptApi, kind: 'drama', text, balanceCredits: 0 });
  const [form, fields] = useZodForm(DRAMA_FORM, dramaForm, { actionData: reply });
  const { order, characters, read } = useReading(formRef, models);
  const keep = useFormDraft(formRef, { key: DRAMA_DRAFT, isFresh: reply === undefined, onRestore: read });
  const uploads = useUploads(sendFile, MAX_REFERENCES);
  const [isMusicBlocked, setMusicBlocked] = useState(false);
  const isBlocked = isMusicBlocked || uploads.uploads.some(({ state }) => state.type !== 'done');
  const picture = models.picture.find(({ slug }) => slug === order?.models.picture) ?? models.picture[0];
  const storyboard =
    models.storyboard.find(({ slug }) => slug === order?.models.storyboard) ?? models.storyboard[0];
  const errorOf = (field: keyof typeof fields) => words(fields[field].errors);
  const sent = (field: keyof typeof fields) => {
    const value = fields[field].initialValue;
    return typeof value === 'string' ? value : undefined;
  };

  const putText = (more: string) => {
    const written = text.read().trimEnd();
    text.replace(written === '' ? more : `${written}\n\n${more}`);
  };

  return (
    <>
      <Form
        {...getFormProps(form)}
        ref={formRef}
        method="post"
        className={classes.form}
        onInput={(event) => {
          read();
          keep();
          if (event.target === textRef.current && !text.isPut()) text.forget();
        }}
        aria-label={t('new.title')}
      >
        <input type="hidden" name="requestKey" value={reply?.newRequestKey ?? key} autoComplete="off" />
        <Choice
          name="source"
          label={t('form.source')}
          defaultValue={sent('source') ?? 'idea'}
          error={errorOf('source')}
          options={[
            { value: 'idea', label: t('form.idea'), hint: t('form.ideaHint') },
            { value: 'script', label: t('form.script'), hint: t('form.scriptHint') },
          ]}
        />
        <div>
          <PromptField
            id={fields.text.id}
            name="text"
            label={t('form.text')}
            placeholder={t('form.textPlaceholder')}
            rows={8}
            defaultValue={sent('text')}
            length={characters}
            most={MAX_TEXT}
            error={errorOf('text')}
            inputRef={textRef}
            tools={promptApi ? TOOLS : []}
            onTool={dialogs.open}
            hint={null}
            note={startNote({ note: null, canUndo: text.canUndo, onUndo: text.undo })}
          />
          <DocumentUpload sendFile={sendFile} onText={putText} />
        </div>

        <FilmOptions models={models} fields={fields} isBack={reply !== undefined} />
        <MusicUpload sendFile={sendFile} error={errorOf('music')} onBlock={setMusicBlocked} />
        {picture && picture.maxReferences > 0 ? (
          <div>
            <ReferenceUpload
              files={uploads}
              limit={MAX_REFERENCES}
              roles={['reference']}
              error={errorOf('references') ?? null}
            />
            <p className={classes.hint}>{t('form.references')}</p>
          </div>
        ) : null}

        <div className={classes.foot}>
          {form.errors?.length ? <ErrorMessage id={form.errorId} message={words(form.errors) ?? ''} /> : null}
          <ComposerCost id={costId} order={order} storyboard={storyboard} askQuote={askQuote} />
          <Button
            type="submit"
            size="md"
            loading={busy}
            disabled={isBlocked}
            aria-describedby={costId}
            leftSection={<Clapperboard size={17} aria-hidden />}
          >
            {t('form.create')}
          </Button>
        </div>
      </Form>
      {dialogs.dialogs}
    </>
  );
}

/** Reads from the form itself what price and counter need, so that input from before hydration counts too. */
function useReading(formRef: React.RefObject<HTMLFormElement>, models: DramaModelLists) {
  const [order, setOrder] = useState<OrderToQuote | null>(null);
  const [characters, setCharacters] = useState(0);
  const read = useCallback(() => {
    if (!formRef.current) return;
    const data = new FormData(formRef.current);
    setOrder(readOrder(data));
    setCharacters(String(data.get('text') ?? '').trim().length);
  }, [formRef]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other models are another form
  useEffect(read, [read, models]);
  return { order, characters, read };
}

/** Null while the form has no order that could be priced. */
function readOrder(form: FormData): OrderToQuote | null {
  const text = (name: string) => String(form.get(name) ?? '');
  const shots = Number(text('shots'));
  const ratio = dramaForm.shape.ratio.safeParse(text('ratio'));
  if (!ratio.success || !Number.isInteger(shots) || shots < 1 || shots > MAX_SHOTS) return null;
  return {
    models: {
      storyboard: text('storyboard'),
      picture: text('picture'),
      clip: text('clip') || undefined,
      voice: text('voice') || undefined,
    },
    ratio: ratio.data,
    shots,
    titleCard: form.has('titleCard'),
  };
}
