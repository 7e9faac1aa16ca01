import { getFormProps, useForm } from '@conform-to/react';
import { Button } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { Sparkles } from 'lucide-react';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
} from 'react';
import { Trans } from 'react-i18next';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { useT } from '#app/lib/language.tsx';
import { useRequestKey } from '#app/lib/request-key.ts';
import { useErrorWords } from '#app/lib/use-error-words.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import { workbenchTexts } from '#app/locales/workbench.ts';
import type { PrefillView } from '#server/generation/prompts/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import type { Kind } from '#server/generation/status.ts';
import classes from './composer.module.css';
import { ComposerParameters } from './composer-parameters.tsx';
import type { ComposerReply } from './composer-reply.ts';
import { CostLine } from './cost-line.tsx';
import { gapFor } from './first-frame.ts';
import type { PromptApi } from './prompt-api.ts';
import { usePromptDialogs } from './prompt-dialogs.tsx';
import { PromptField, type PromptTool } from './prompt-field.tsx';
import { ReferenceUpload } from './reference-upload.tsx';
import { useSendFile } from './send-reference.ts';
import { startNote } from './start-note.tsx';
import { type Order, readOrder } from './submission.ts';
import { type AskQuote, useCost } from './use-cost.ts';
import { useFieldErrors } from './use-field-errors.ts';
import { useFileDrop } from './use-file-drop.ts';
import { useFormReading } from './use-form-reading.ts';
import { usePromptText } from './use-prompt-text.ts';
import { useStart } from './use-start.ts';
import { isUploading, type SendFile, useUploads } from './use-uploads.ts';

type ComposerProps = {
  model: ModelView;
  /** Route and query of the action. */
  action: string;
  balanceCredits: number;
  /** What the user owes; nothing is accepted until it is paid off. */
  owedCredits?: number;
  /** Of this page as the server made it. */
  requestKey: string;
  /** The reply to a form that was sent without JavaScript. */
  reply?: ComposerReply;
  /** What the address brings along. */
  prefill?: PrefillView | null;
  /** What the reference is for that the address brings along. */
  referenceRole?: string | null;
  /** Whose drafts are kept in this browser; left out, none are. */
  draftOwner?: string;
  /** Shows another model; left out while the address names one. */
  onModel?: (slug: string) => void;
  askQuote?: AskQuote;
  sendFile?: SendFile;
  promptApi?: PromptApi;
  /** Below the button: what became of the last submit. */
  children?: ReactNode;
};

const TOOLS: readonly PromptTool[] = ['history', 'templates', 'improve'];

/** The form that makes a task: prompt, references, parameters, and what it costs before it is pressed. */
export function Composer(props: ComposerProps) {
  const { model, action, balanceCredits, owedCredits = 0, askQuote, promptApi, prefill = null } = props;
  const t = useT(workbenchTexts);
  const fetcher = useFetcher<ComposerReply | WayOn>({ key: 'composer' });
  const { key, renew } = useRequestKey(props.reply?.newRequestKey ?? props.requestKey);
  const formRef = useRef<HTMLFormElement>(null);
  const promptRef = useRef<HTMLTextAreaElement>(null);
  const sentKind = useRef<Kind>(model.kind);
  const costId = useId();
  const busy = fetcher.state !== 'idle';

  const prefillGap = gapFor(
    model.referenceRoles,
    props.referenceRole ?? null,
    prefill?.references.length ?? 0,
  );
  const uploads = useUploads(
    useSendFile(props.sendFile),
    model.maxReferences,
    prefill?.references,
    prefillGap,
  );
  const { params, promptLength, promptBytes, read } = useFormReading(formRef, model);
  const cost = useCost({ model, params, promptBytes, balanceCredits, askQuote, after: fetcher.data });
  const text = usePromptText(promptRef);
  const start = useStart({
    formRef,
    model,
    owner: props.draftOwner,
    prefill,
    prefillGap,
    isReply: props.reply !== undefined,
    uploads,
    text,
    onModel: props.onModel,
  });
  const dialogs = usePromptDialogs({
    api: promptApi,
    kind: model.kind,
    text,
    balanceCredits: cost.balanceCredits,
    presets: { model, read: () => params, apply: (given) => start.give(given, model.slug) },
  });

  const onEnd = useCallback(
    (answer: ComposerReply | undefined) => {
      // A key is used up by a success, and by a task with another prompt.
      if (answer === undefined || answer.newRequestKey) renew();
      if (answer !== undefined) return;
      start.drop(sentKind.current);
      // The reader is at another kind by now, with what is typed there.
      if (sentKind.current !== model.kind) return;
      uploads.clear();
      if (promptRef.current) promptRef.current.value = '';
      text.forget();
      read();
    },
    [renew, uploads.clear, text.forget, start.drop, read, model.kind],
  );
  // Parameters that were put in make new fields.
  const { turn } = start.given;
  const { keep } = start;
  useEffect(() => {
    read();
    if (turn > 0) keep();
  }, [turn, read, keep]);
  const reply = useFetcherReply(fetcher, onEnd) ?? props.reply;
  const lastResult = useFieldErrors(reply);

  const [form, fields] = useForm<Order>({
    id: 'composer',
    lastResult: busy ? undefined : lastResult,
    onValidate: ({ formData }) => readOrder(formData, model, t),
    shouldValidate: 'onSubmit',
    shouldRevalidate: 'onInput',
  });
  const words = useErrorWords();
  const formErrors = busy ? null : reply?.reply.error?.[''];
  const referenceError =
    (fields.references.errors && words(fields.references.errors)) ??
    (uploads.uploads.length > model.maxReferences ? t('references.fewer', { model: model.title }) : null);
  // After a lost answer the same key asks what became of the first one, which may hold these very credits.
  const blocked = ((!cost.affordable || owedCredits > 0) && !reply?.lost) || isUploading(uploads);
  const files = useFileDrop({
    takesFiles: model.maxReferences > 0,
    onFiles: uploads.add,
  });

  const onInput = (event: FormEvent) => {
    read();
    start.keep();
    // Typing on makes the text the reader's own; a text that was put in has told so already.
    if (event.target === promptRef.current && !text.isPut()) {
      start.forgetNote();
      text.forget();
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!busy && !blocked) event.currentTarget.requestSubmit();
  };
  const formProps = getFormProps(form);

  return (
    <>
      <fetcher.Form
        {...formProps}
        ref={formRef}
        method="post"
        action={action}
        className={classes.form}
        preventScrollReset
        onSubmit={(event) => {
          sentKind.current = model.kind;
          formProps.onSubmit(event);
        }}
        onInput={onInput}
        onKeyDown={onKeyDown}
        {...files.handlers}
        data-over={files.isOver || undefined}
        aria-label={t(`form.${model.kind}`)}
      >
        <input type="hidden" name="kind" value={model.kind} />
        <input type="hidden" name="model" value={model.slug} />
        <input type="hidden" name="requestKey" value={key} autoComplete="off" />
        {cost.confirmed ? (
          <input type="hidden" name="quotedCredits" value={cost.credits} autoComplete="off" />
        ) : null}

        <PromptField
          id={fields.prompt.id}
          name="prompt"
          label={t('prompt.label')}
          placeholder={t(`prompt.placeholder.${model.kind}`)}
          rows={5}
          defaultValue={fields.prompt.initialValue ?? prefill?.order?.prompt}
          length={promptLength}
          most={model.maxPromptCharacters}
          error={fields.prompt.errors && words(fields.prompt.errors)}
          inputRef={promptRef}
          tools={promptApi ? TOOLS : []}
          onTool={dialogs.open}
          hint={<Trans t={t} i18nKey="form.submitHint" components={{ key: <kbd /> }} />}
          note={startNote({
            note: start.note,
            canUndo: text.canUndo,
            onUndo: () => {
              text.undo();
              start.forgetNote();
            },
            onDiscard: start.discard,
          })}
        />

        {model.maxReferences > 0 || uploads.uploads.length > 0 ? (
          <ReferenceUpload
            files={uploads}
            limit={model.maxReferences}
            roles={model.referenceRoles}
            error={referenceError}
          />
        ) : null}

        {files.isRefused ? (
          <p role="alert" className={classes.fieldError}>
            {t('references.noneTakenDrop', { model: model.title })}
          </p>
        ) : null}

        <ComposerParameters
          model={model}
          given={start.given}
          form={form}
          onPresets={promptApi ? () => dialogs.open('presets') : undefined}
        />

        <div className={classes.foot}>
          {formErrors?.length ? <ErrorMessage id={form.errorId} message={formErrors.join(' ')} /> : null}
          <CostLine
            id={costId}
            model={model}
            order={{ params, promptBytes }}
            cost={cost}
            owedCredits={owedCredits}
          />
          <Button
            type="submit"
            size="md"
            loading={busy}
            disabled={blocked}
            aria-describedby={costId}
            leftSection={<Sparkles size={17} aria-hidden />}
          >
            {t('form.submit')}
          </Button>
          {formErrors?.length ? null : props.children}
        </div>
      </fetcher.Form>
      {dialogs.dialogs}
    </>
  );
}
