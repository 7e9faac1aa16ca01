import { Button, Textarea } from '@mantine/core';
import { useFetcher } from '@remix-run/react';
import { Check, Pencil, Send, X } from 'lucide-react';
import { useId } from 'react';
import { formatCredits } from '#app/lib/format.ts';
import { useFetcherReply } from '#app/lib/use-fetcher-reply.ts';
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
  const fetcher = useFetcher<DecisionFailure>({ key: `decision-${entry.key}` });
  const busy = fetcher.state === 'idle' ? null : String(fetcher.formData?.get('decision') ?? '');
  const mine = answer?.stepKey === entry.key ? answer : undefined;
  const reply = useFetcherReply(fetcher, ignore) ?? mine;
  const failure = busy === null ? reply : undefined;
  const errorOf = (field: DecisionFailure['field']) =>
    failure?.field === field ? failure?.error : undefined;
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
        {entryTitle(entry)}
      </h3>
      {entry.type === 'ask' ? (
        <>
          <p className={classes.words}>{entry.question}</p>
          <Textarea
            name="answer"
            label="Your answer"
            rows={3}
            maxLength={4_000}
            defaultValue={mine?.typed.answer}
            error={errorOf('answer')}
          />
          <div className={classes.buttons}>
            <DecisionButton value="answer" busy={busy} icon={<Send size={15} aria-hidden />}>
              Send the answer
            </DecisionButton>
          </div>
        </>
      ) : (
        <>
          <Proposal entry={entry} />
          <div className={classes.buttons}>
            <DecisionButton value="approve" busy={busy} icon={<Check size={15} aria-hidden />}>
              Approve
            </DecisionButton>
          </div>
          {entry.type === 'make' ? (
            <details className={classes.details} open={mine?.field === 'argumentsText' || undefined}>
              <summary>Change it before it is made</summary>
              <Textarea
                name="argumentsText"
                label="Arguments as JSON"
                description="Checked like the model’s own before anything is sent."
                rows={6}
                maxLength={20_000}
                defaultValue={mine?.typed.argumentsText ?? prettyJson(entry.argumentsText)}
                error={errorOf('argumentsText')}
                classNames={{ input: classes.code }}
                spellCheck={false}
              />
              <DecisionButton value="edit" busy={busy} icon={<Pencil size={15} aria-hidden />} isSecond>
                Approve with these arguments
              </DecisionButton>
            </details>
          ) : null}
          <details className={classes.details} open={mine?.field === 'reason' || undefined}>
            <summary>Say no</summary>
            {entry.type === 'turn' ? (
              <p className={classes.note}>The agent then ends with what is there.</p>
            ) : (
              // Not one line: Enter there would press the first button, which approves.
              <Textarea
                rows={2}
                name="reason"
                label="Why not"
                description="The model reads this and goes on without it. May be left empty."
                maxLength={2_000}
                defaultValue={mine?.typed.reason}
                error={errorOf('reason')}
              />
            )}
            <DecisionButton value="reject" busy={busy} icon={<X size={15} aria-hidden />} isSecond>
              Reject
            </DecisionButton>
          </details>
        </>
      )}
      {failure && !failure.field ? (
        <p role="alert" className={classes.bad}>
          {failure.error}
        </p>
      ) : null}
    </fetcher.Form>
  );
}

/** What is proposed, and what it costs. */
function Proposal({ entry }: { entry: Exclude<AgentEntry, { type: 'ask' }> }) {
  if (entry.type === 'make') {
    return (
      <>
        <p className={classes.words}>{entry.prompt}</p>
        <p className={classes.note}>
          With {entry.modelTitle}
          {entry.costCredits === null ? '.' : ` for ${formatCredits(entry.costCredits)} at most.`}
        </p>
      </>
    );
  }
  if (entry.type === 'turn') {
    return (
      <p className={classes.words}>
        The language model wants to look at what is there and plan what comes next.
      </p>
    );
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
