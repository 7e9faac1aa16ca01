import { type DefaultValue, getFormProps, useForm } from '@conform-to/react';
import { Button, NativeSelect } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { Play } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useCallback, useId, useRef } from 'react';
import { Trans } from 'react-i18next';
import type { z } from 'zod';
import type { ComposerReply } from '#app/components/composer/composer-reply.ts';
import type { PromptApi } from '#app/components/composer/prompt-api.ts';
import { usePromptDialogs } from '#app/components/composer/prompt-dialogs.tsx';
import { PromptField, type PromptTool } from '#app/components/composer/prompt-field.tsx';
import { ReferenceUpload } from '#app/components/composer/reference-upload.tsx';
import { useSendFile } from '#app/components/composer/send-reference.ts';
import { startNote } from '#app/components/composer/start-note.tsx';
import { useFieldErrors } from '#app/components/composer/use-field-errors.ts';
import { usePromptText } from '#app/components/composer/use-prompt-text.ts';
import { isUploading, type SendFile, useUploads } from '#app/components/composer/use-uploads.ts';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { ErrorMessage } from '#app/components/ui/error-message.tsx';
import { isFree } from '#app/lib/format.ts';
import { useT } from '#app/lib/language.tsx';
import { parseForm } from '#app/lib/parse-form.ts';
import { useRequestKey } from '#app/lib/request-key.ts';
import { type Draft, useDraft } from '#app/lib/use-draft.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import { useFormat } from '#app/lib/use-format.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import { agentTexts } from '#app/locales/agent.ts';
import { compositeTexts } from '#app/locales/composite.ts';
import { DEFAULT_AGENT_STEPS, MAX_AGENT_STEPS } from '#server/generation/agent/schemas.ts';
import type { ModelView } from '#server/generation/schemas.ts';
import classes from './agent-composer.module.css';
import { AgentCostLine } from './agent-cost-line.tsx';
import { agentForm, languageModels } from './agent-form.ts';
import { AllowedModels } from './allowed-models.tsx';
import { ApprovalCards } from './approval-cards.tsx';
import { NumberField } from './number-field.tsx';
import { type AskAgentQuote, useAgentCost } from './use-agent-cost.ts';
import { DEFAULT_BUDGET, useAgentOrder } from './use-agent-order.ts';

const TOOLS: readonly PromptTool[] = ['history', 'templates'];
const MOST_REFERENCES = 8;
const MOST_CHARACTERS = 8_000;
const DRAFTED = ['goal', 'model', 'allowed', 'budgetCredits', 'maxSteps', 'approval'] as const;

type AgentComposerProps = {
  models: readonly ModelView[];
  /** Route of the action. */
  action: string;
  balanceCredits: number;
  /** What the user owes; nothing is accepted until it is paid off. */
  owedCredits?: number;
  /** Of this page as the server made it. */
  requestKey: string;
  /** The reply to a form that was sent without JavaScript. */
  reply?: ComposerReply;
  askQuote?: AskAgentQuote;
  sendFile?: SendFile;
  promptApi?: PromptApi;
  /** Whose draft is kept in this browser; left out: it is of this tab only. */
  draftOwner?: string;
};

/** The form that starts an agent, with its draft; a draft of another day comes after the scripts, into a form made anew. */
export function AgentComposer(props: AgentComposerProps) {
  const draft = useDraft('agent', DRAFTED, {
    owner: props.draftOwner,
    mayRestore: () =>
      props.reply === undefined &&
      !document.querySelector<HTMLTextAreaElement>('#agent-composer-goal')?.value,
  });
  return <AgentForm key={draft.turn} {...props} kept={draft} />;
}

/** Goal, files, models, budget and limits, and what it costs before it is pressed. */
function AgentForm(props: AgentComposerProps & { kept: ReturnType<typeof useDraft> }) {
  const { models, action, balanceCredits, owedCredits = 0, askQuote, promptApi } = props;
  const t = useT(agentTexts);
  const common = useT(compositeTexts);
  const format = useFormat();
  const words = useServerWords();
  const fetcher = useFetcher<ComposerReply | WayOn>({ key: 'agent-composer' });
  const { key, renew } = useRequestKey(props.reply?.newRequestKey ?? props.requestKey);
  const formRef = useRef<HTMLFormElement>(null);
  const costId = useId();
  const busy = fetcher.state !== 'idle';
  const uploads = useUploads(useSendFile(props.sendFile), MOST_REFERENCES);
  const goalRef = useRef<HTMLTextAreaElement>(null);
  const text = usePromptText(goalRef);
  const dialogs = usePromptDialogs({ api: promptApi, kind: 'agent', text, balanceCredits });
  const { draft, keep, drop } = props.kept;
  const { order, goalLength, read } = useAgentOrder(formRef, models);
  const cost = useAgentCost({ order, balanceCredits, askQuote, after: fetcher.data });

  const onEnd = useCallback(
    (answer: ComposerReply | undefined) => {
      // A key is used up by an order that was another one. A success leaves: pressed meanwhile, it is the same order.
      if (answer?.newRequestKey) renew();
      if (answer === undefined) drop();
    },
    [renew, drop],
  );
  const reply = useFetcherReply(fetcher, onEnd) ?? props.reply;
  const lastResult = useFieldErrors(reply);
  const [form, fields] = useForm<z.input<typeof agentForm>, z.output<typeof agentForm>>({
    id: 'agent-composer',
    lastResult: busy ? undefined : lastResult,
    defaultValue: draft && fromDraft(draft),
    onValidate: ({ formData }) => parseForm(formData, agentForm) as never,
    shouldValidate: 'onSubmit',
    shouldRevalidate: 'onInput',
  });
  const formErrors = busy ? null : reply?.reply.error?.[''];
  // After a lost answer the same key asks what became of the first one, which may hold these very credits.
  const blocked = ((!cost.affordable || owedCredits > 0) && !reply?.lost) || isUploading(uploads);
  const tooLong = goalLength > MOST_CHARACTERS;

  const onInput = (event: FormEvent) => {
    read();
    if (event.target === goalRef.current && !text.isPut()) text.forget();
    if (formRef.current) keep(new FormData(formRef.current));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!busy && !blocked) event.currentTarget.requestSubmit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    uploads.add(files);
  };

  return (
    <>
      <fetcher.Form
        {...getFormProps(form)}
        ref={formRef}
        method="post"
        action={action}
        className={classes.form}
        preventScrollReset
        onInput={onInput}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        aria-label={t('new.title')}
      >
        <input type="hidden" name="requestKey" value={key} autoComplete="off" />
        <div className={classes.fields}>
          <PromptField
            id={fields.goal.id}
            name="goal"
            label={t('form.goal')}
            description={t('form.goalHint')}
            placeholder={t('form.goalPlaceholder')}
            rows={6}
            defaultValue={fields.goal.initialValue}
            length={goalLength}
            most={MOST_CHARACTERS}
            error={words(fields.goal.errors) ?? (tooLong ? t('form.goalTooLong') : undefined)}
            inputRef={goalRef}
            tools={promptApi ? TOOLS : []}
            onTool={dialogs.open}
            hint={<Trans t={t} i18nKey="form.keys" components={{ key: <kbd /> }} />}
            note={startNote({ note: null, canUndo: text.canUndo, onUndo: text.undo })}
          />
          <ReferenceUpload
            files={uploads}
            limit={MOST_REFERENCES}
            roles={['reference']}
            error={words(fields.references.errors) ?? null}
          />
          <NativeSelect
            id={fields.model.id}
            name="model"
            label={t('form.model')}
            description={t('form.modelHint')}
            data={languageModels(models).map((model) => ({
              value: model.slug,
              label: common('model.withPrice', {
                model: model.title,
                price: isFree(model.price) ? common('model.free') : format.price(model.price),
              }),
            }))}
            defaultValue={fields.model.initialValue}
            error={words(fields.model.errors)}
          />
          <AllowedModels
            models={models}
            initial={listOf(fields.allowed.initialValue)}
            error={words(fields.allowed.errors)}
          />
          <div className={classes.numbers}>
            <NumberField
              id={fields.budgetCredits.id}
              name="budgetCredits"
              label={t('form.budget')}
              description={t('form.budgetHint')}
              min={1}
              max={1_000_000}
              value={fields.budgetCredits.initialValue ?? DEFAULT_BUDGET}
              error={words(fields.budgetCredits.errors)}
            />
            <NumberField
              id={fields.maxSteps.id}
              name="maxSteps"
              label={t('form.steps')}
              description={t('form.stepsHint', { most: MAX_AGENT_STEPS })}
              min={1}
              max={MAX_AGENT_STEPS}
              value={fields.maxSteps.initialValue ?? DEFAULT_AGENT_STEPS}
              error={words(fields.maxSteps.errors)}
            />
          </div>
          <ApprovalCards initial={fields.approval.initialValue} error={words(fields.approval.errors)} />
        </div>
        <div className={classes.foot}>
          {formErrors?.length ? <ErrorMessage id={form.errorId} message={words(formErrors) ?? ''} /> : null}
          <AgentCostLine id={costId} cost={cost} owedCredits={owedCredits} />
          <Button
            type="submit"
            size="md"
            loading={busy}
            disabled={blocked}
            aria-describedby={costId}
            leftSection={<Play size={17} aria-hidden />}
          >
            {t('form.start')}
          </Button>
          <p className={classes.costNote}>{t('form.startHint')}</p>
        </div>
      </fetcher.Form>
      {dialogs.dialogs}
    </>
  );
}

/** A field of checkboxes as it was sent: nothing, one value, or several. */
function listOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value : [value]).map(String);
}

function fromDraft(draft: Draft): DefaultValue<z.input<typeof agentForm>> {
  const { allowed, ...single } = draft;
  return { ...Object.fromEntries(Object.entries(single).map(([name, [value]]) => [name, value])), allowed };
}
