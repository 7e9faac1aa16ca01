import { Button, Textarea } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { Check, Pencil, Send, X } from 'lucide-react';
import { useId } from 'react';
import { useServerWords } from '#app/components/composite/server-words.ts';
import { useT } from '#app/lib/language.tsx';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
import { useFormat } from '#app/lib/use-format.ts';
import type { WayOn } from '#app/lib/way-on.ts';
import { agentTexts } from '#app/locales/agent.ts';
import type { AgentEntry } from '#server/generation/agent/schemas.ts';
import classes from './agent.module.css';
import type { DecisionFailure } from './agent-intents.ts';
import { entryTitle } from './agent-words.ts';

type DecisionFormProps = {
  entry: AgentEntry;
  /** Route of the page's action. */
  action: string;
  /** The answer to a form that was sent without JavaScript. */
  answer?: DecisionFailure;
};

/** One step that waits for the user, with what is to be decided and every way to decide it. */
export function DecisionForm({ entry, action, answer }: DecisionFormProps) {
  const t = useT(agentTexts);
  const words = useServerWords();
  const fetcher = useFetcher<DecisionFailure | WayOn>({ key: `decision-${entry.key}` });
  const busy = fetcher.state === 'idle' ? null : String(fetcher.formData?.get('decision') ?? '');
  const mine = answer?.stepKey === entry.key ? answer : undefined;
  const reply = useFetcherReply(fetcher, ignore) ?? mine;
  const failure = busy === null ? reply : undefined;
  const errorOf = (field: DecisionFailure['field']) =>
    failure?.field === field ? words(failure?.error) : undefined;
  const titleId = useId();

  return (
    <fetcher.Form
      method="post"
      action={action}
      preventScrollReset
      className={classes.decision}
      aria-labelledby={titleId}
    >
      <input type="hidden" name="stepKey" value={entry.key} />
      <h3 id={titleId} className={classes.decisionTitle}>
        {entryTitle(entry, t)}
      </h3>
      {entry.type === 'ask' ? (
        <>
          <p className={classes.words}>{entry.question}</p>
          <Textarea
            name="answer"
            label={t('decision.answer')}
            rows={3}
            maxLength={4_000}
            defaultValue={mine?.typed.answer}
            error={errorOf('answer')}
          />
          <div className={classes.buttons}>
            <DecisionButton value="answer" busy={busy} icon={<Send size={15} aria-hidden />}>
              {t('decision.send')}
            </DecisionButton>
          </div>
        </>
      ) : (
        <>
          <Proposal entry={entry} />
          <div className={classes.buttons}>
            <DecisionButton value="approve" busy={busy} icon={<Check size={15} aria-hidden />}>
              {t('decision.approve')}
            </DecisionButton>
          </div>
          {entry.type === 'make' ? (
            <details className={classes.details} open={mine?.field === 'argumentsText' || undefined}>
              <summary>{t('decision.change')}</summary>
              <Textarea
                name="argumentsText"
                label={t('decision.arguments')}
                description={t('decision.argumentsHint')}
                rows={6}
                maxLength={20_000}
                defaultValue={mine?.typed.argumentsText ?? prettyJson(entry.argumentsText)}
                error={errorOf('argumentsText')}
                classNames={{ input: classes.code }}
                spellCheck={false}
              />
              <DecisionButton value="edit" busy={busy} icon={<Pencil size={15} aria-hidden />} isSecond>
                {t('decision.approveChanged')}
              </DecisionButton>
            </details>
          ) : null}
          <details className={classes.details} open={mine?.field === 'reason' || undefined}>
            <summary>{t('decision.sayNo')}</summary>
            {entry.type === 'turn' ? (
              <p className={classes.note}>{t('decision.noTurn')}</p>
            ) : (
              // Not one line: Enter there would press the first button, which approves.
              <Textarea
                rows={2}
                name="reason"
                label={t('decision.reason')}
                description={t('decision.reasonHint')}
                maxLength={2_000}
                defaultValue={mine?.typed.reason}
                error={errorOf('reason')}
              />
            )}
            <DecisionButton value="reject" busy={busy} icon={<X size={15} aria-hidden />} isSecond>
              {t('decision.reject')}
            </DecisionButton>
          </details>
        </>
      )}
      {failure && !failure.field ? (
        <p role="alert" className={classes.bad}>
          {words(failure.error)}
        </p>
      ) : null}
    </fetcher.Form>
  );
}

/** What is proposed, and what it costs. */
function Proposal({ entry }: { entry: Exclude<AgentEntry, { type: 'ask' }> }) {
  const t = useT(agentTexts);
  const format = useFormat();
  if (entry.type === 'make') {
    const { modelTitle: model, costCredits } = entry;
    return (
      <>
        <p className={classes.words}>{entry.prompt}</p>
        <p className={classes.note}>
          {costCredits === null
            ? t('decision.with', { model })
            : t('decision.withCost', { model, credits: format.credits(costCredits) })}
        </p>
      </>
    );
  }
  if (entry.type === 'turn') {
    return <p className={classes.words}>{t('decision.turn')}</p>;
  }
  return null;
}

type DecisionButtonProps = {
  value: string;
  busy: string | null;
  icon: React.ReactNode;
  isSecond?: boolean;
  children: string;
};

function DecisionButton({ value, busy, icon, isSecond = false, children }: DecisionButtonProps) {
  return (
    <Button
      type="submit"
      name="decision"
      value={value}
      size="sm"
      variant={isSecond ? 'default' : 'filled'}
      leftSection={icon}
      loading={busy === value}
      disabled={busy !== null && busy !== value}
    >
      {children}
    </Button>
  );
}

/** Indented where it is JSON; else as it is. */
function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Nothing to do here: the page it comes back to shows what happened. */
function ignore(): void {}
