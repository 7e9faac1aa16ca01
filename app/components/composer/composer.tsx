import { getFormProps, type SubmissionResult, useForm } from '@conform-to/react';
import { parseWithZod } from '@conform-to/zod/v4';
import { Button, Textarea } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { Sparkles } from 'lucide-react';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ParameterFields } from '#app/components/parameters/parameter-fields.tsx';
import {
  defaultParameters,
  type ParameterValues,
  readParameters,
} from '#app/components/parameters/parameter-values.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { formatInteger } from '#app/lib/format.ts';
import { useRequestKey } from '#app/lib/request-key.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './composer.module.css';
import { CostLine } from './cost-line.tsx';
import { ReferenceUpload } from './reference-upload.tsx';
import { composerSchema } from './submission.ts';
import { type AskQuote, useCost } from './use-cost.ts';
import { type SendFile, sendReference, useUploads } from './use-uploads.ts';

/** What the workbench's action answers when nothing was submitted; a success is a redirect. */
export type ComposerReply = {
  reply: SubmissionResult<string[]>;
  /** Set when the key on the page is spent, by a task with another prompt. */
  newRequestKey?: string;
  /** The answer was lost on its way: there may be a task, and the same key finds it. */
  lost?: boolean;
};

type ComposerProps = {
  model: ModelView;
  /** Route and query of the action. */
  action: string;
  balanceCredits: number;
  /** Of this page as the server made it. */
  requestKey: string;
  /** The reply to a form that was sent without JavaScript. */
  reply?: ComposerReply;
  askQuote?: AskQuote;
  sendFile?: SendFile;
  /** Below the button: what became of the last submit. */
  children?: ReactNode;
};

/** The form that makes a task: prompt, references, parameters, and what it costs before it is pressed. */
export function Composer(props: ComposerProps) {
  const { model, action, balanceCredits, askQuote, sendFile = sendReference } = props;
  const fetcher = useFetcher<ComposerReply>({ key: 'composer' });
  const { key, renew } = useRequestKey(props.reply?.newRequestKey ?? props.requestKey);
  const formRef = useRef<HTMLFormElement>(null);
  const costId = useId();
  const busy = fetcher.state !== 'idle';

  const uploads = useUploads(sendFile, model.maxReferences);
  const { params, promptLength, read } = useFormReading(formRef, model);
  const cost = useCost({ model, params, balanceCredits, askQuote });

  const onEnd = useCallback(
    (answer: ComposerReply | undefined) => {
      // A key is used up by a success, and by a task with another prompt.
      if (answer === undefined || answer.newRequestKey) renew();
      if (answer !== undefined) return;
      uploads.clear();
      const prompt = formRef.current?.elements.namedItem('prompt');
      if (prompt instanceof HTMLTextAreaElement) prompt.value = '';
      read();
    },
    [renew, uploads.clear, read],
  );
  const reply = useFetcherReply(fetcher, onEnd) ?? props.reply;
  const lastResult = useFieldErrors(reply);

  const [form, fields] = useForm({
    id: 'composer',
    lastResult: busy ? undefined : lastResult,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: composerSchema(model) }),
    shouldValidate: 'onSubmit',
    shouldRevalidate: 'onInput',
  });
  const formErrors = busy ? null : reply?.reply.error?.[''];
  const uploading = uploads.uploads.some((upload) => upload.state.type === 'uploading');
  const failed = uploads.uploads.find((upload) => upload.state.type === 'failed')?.state;
  const referenceError =
    uploads.refusal ??
    (failed?.type === 'failed' ? failed.message : null) ??
    fields.references.errors?.join(' ') ??
    (uploads.uploads.length > model.maxReferences
      ? `${model.title} takes fewer reference files. Remove some.`
      : null);
  const tooLong = promptLength > model.maxPromptCharacters;
  // After a lost answer the same key asks what became of the first one, which may hold these very credits.
  const blocked = (!cost.affordable && !reply?.lost) || uploading || failed !== undefined;

  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!busy && !blocked) event.currentTarget.requestSubmit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0 || model.maxReferences === 0) return;
    event.preventDefault();
    uploads.add(files);
  };

  return (
    <fetcher.Form
      {...getFormProps(form)}
      ref={formRef}
      method="post"
      action={action}
      className={classes.form}
      preventScrollReset
      onInput={read}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
      aria-label={`New ${model.kind}`}
    >
      <input type="hidden" name="kind" value={model.kind} />
      <input type="hidden" name="model" value={model.slug} />
      <input type="hidden" name="requestKey" value={key} autoComplete="off" />

      <div>
        <Textarea
          id={fields.prompt.id}
          name="prompt"
          label="Prompt"
          placeholder={PLACEHOLDER[model.kind]}
          defaultValue={fields.prompt.initialValue}
          rows={5}
          required
          withAsterisk={false}
          error={fields.prompt.errors?.join(' ') ?? (tooLong ? 'This prompt is too long.' : undefined)}
          classNames={{ input: classes.prompt }}
        />
        <p className={classes.counter} data-over={tooLong || undefined}>
          <span>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> submits
          </span>
          <span>
            {formatInteger(promptLength)} / {formatInteger(model.maxPromptCharacters)}
            <span className={classes.hidden}> characters</span>
          </span>
        </p>
      </div>

      {model.maxReferences > 0 || uploads.uploads.length > 0 ? (
        <ReferenceUpload
          uploads={uploads.uploads}
          limit={model.maxReferences}
          roles={model.referenceRoles}
          error={referenceError}
          onAdd={uploads.add}
          onRemove={uploads.remove}
        />
      ) : null}

      <ParameterFields
        key={model.slug}
        schema={model.parameters}
        initial={initialParameters(form.initialValue, model.slug)}
        errors={parameterErrors(form.allErrors)}
      />

      <div className={classes.foot}>
        {formErrors?.length ? <ErrorMessage id={form.errorId} message={formErrors.join(' ')} /> : null}
        <CostLine id={costId} model={model} params={params} cost={cost} />
        <Button
          type="submit"
          size="md"
          loading={busy}
          disabled={blocked}
          aria-describedby={costId}
          leftSection={<Sparkles size={17} aria-hidden />}
        >
          Generate
        </Button>
        {formErrors?.length ? null : props.children}
      </div>
    </fetcher.Form>
  );
}

const PLACEHOLDER = {
  image: 'A lighthouse at dusk, rain on the lens…',
  video: 'Slow pan over a harbour waking up…',
  audio: 'Good morning, this is the harbour radio…',
  text: 'Write a short note to the night shift…',
} as const;

/**
 * The reply for conform, without the sentence about the whole form: conform moves the focus to the first input whose
 * name has an error, and the nameless file input would be taken for it.
 */
function useFieldErrors(reply: ComposerReply | undefined): SubmissionResult<string[]> | undefined {
  return useMemo(() => {
    if (!reply?.reply.error) return reply?.reply;
    const { '': _ofTheForm, ...error } = reply.reply.error;
    return { ...reply.reply, error };
  }, [reply]);
}

/** Reads what a price and a counter need from the form itself, so that input from before hydration counts too. */
function useFormReading(formRef: React.RefObject<HTMLFormElement>, model: ModelView) {
  const [params, setParams] = useState<ParameterValues>(() => defaultParameters(model.parameters));
  const [promptLength, setPromptLength] = useState(0);
  const read = useCallback(() => {
    if (!formRef.current) return;
    const data = new FormData(formRef.current);
    setParams(readParameters(data, model.parameters));
    setPromptLength(String(data.get('prompt') ?? '').trim().length);
  }, [formRef, model]);
  useEffect(read, [read]);
  return { params, promptLength, read };
}

/** What was sent for this model's parameters, when the form came back with an error. */
function initialParameters(initial: unknown, model: string): Record<string, unknown> | undefined {
  if (typeof initial !== 'object' || initial === null || !('params' in initial)) return undefined;
  const { params } = initial;
  if (!('model' in initial) || initial.model !== model) return undefined;
  return typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : undefined;
}

/** Errors of `params.<name>` by parameter. */
function parameterErrors(all: Record<string, string[] | undefined>): Record<string, string[] | undefined> {
  const prefix = 'params.';
  return Object.fromEntries(
    Object.entries(all).flatMap(([field, errors]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), errors] as const] : [],
    ),
  );
}
