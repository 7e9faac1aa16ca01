import { shownOutputs } from '#app/components/media/output-source.ts';
import { formatDuration } from '#app/lib/format.ts';
import type { MoneyView, TaskView } from '#server/generation/schemas.ts';
import { isComposite, isTerminal } from '#server/generation/status.ts';
import { failureSentence, waitingSentence } from './coded-words.ts';
import { type Say, sayIn } from './say.ts';

/** Pure texts about a task, in the language of `say`. */

/** Whether a bar shows that something moves: a model is at work, or parts of a composite are done. */
export function isAtWork({
  status,
  kind,
  progress,
}: Pick<TaskView, 'status' | 'kind' | 'progress'>): boolean {
  // A composite that waits says how far it is; whether it waits for work or for a person, its words say.
  if (status === 'waiting') return isComposite(kind) && progress !== null;
  return status === 'dispatching' || status === 'running' || status === 'archiving';
}

/** Progress in percent where there is one to show. */
export function knownProgress({ status, kind, progress }: TaskView): number | null {
  const counts =
    status === 'running' || (isComposite(kind) && (status === 'waiting' || status === 'archiving'));
  return counts ? progress : null;
}

/** What is going on, in one sentence. */
export function statusSentence(task: TaskView, say: Say = sayIn('en')): string {
  const { t } = say;
  const waiting = waitingSentence(say, task);
  if (waiting) return waiting;
  switch (task.status) {
    case 'queued':
    case 'uncertain':
    case 'waiting':
      return t(`sentence.${task.status}`);
    case 'dispatching':
    case 'running':
      return t(`sentence.${task.status}`, { model: task.model.title });
    case 'archiving':
      return t(`saving.${task.kind}`);
    case 'succeeded':
      return describeOutputs(task, say);
    case 'failed':
      return failureSentence(say, task.failure);
    case 'cancelled':
      return t(task.outputs.length > 0 ? 'sentence.cancelledWithOutputs' : 'sentence.cancelled');
  }
}

/** "4 images, 1024 × 1024", "1 video, 0:08". */
function describeOutputs(task: TaskView, { t, language }: Say): string {
  const outputs = shownOutputs(task);
  const made = outputs.length;
  const first = outputs[0];
  if (!first) return t(isComposite(task.kind) ? 'sentence.doneElsewhere' : 'sentence.done');
  const isPart = made < task.orderedOutputs && !isComposite(task.kind);
  return [
    isPart
      ? t(`madeOf.${task.kind}`, { made, ordered: task.orderedOutputs })
      : t(`made.${task.kind}`, { count: made }),
    first.width && first.height ? `${first.width} × ${first.height}` : '',
    first.durationMs ? formatDuration(first.durationMs) : '',
  ]
    .filter(Boolean)
    .join(language === 'zh-CN' ? '，' : ', ');
}

type Tone = 'plain' | 'good' | 'attention';

/**
 * What the credits of a task did. `short` fits a card; `long` explains it on the task's page. What comes back of a part
 * of larger work goes to that work's budget.
 */
export function moneyWords(
  money: MoneyView,
  say: Say,
  isPart = false,
): { short: string; long: string; tone: Tone } {
  const { t } = say;
  const values = {
    held: say.credits(money.heldCredits),
    charged: say.credits(money.chargedCredits),
    returned: say.credits(money.returnedCredits),
    amount: say.credits(refundAmount(money)),
  };
  const ofPart = isPart ? 'Part' : '';
  const plain = (key: 'spent' | 'nothing' | 'spentOf' | 'held' | 'charged') =>
    ({ short: t(`money.${key}`, values), long: t(`money.${key}Long`, values), tone: 'plain' }) as const;
  const back = (key: 'returned' | 'refunded') =>
    ({
      short: t(`money.${key}`, values),
      long: t(`money.${key}Long${ofPart}`, values),
      tone: 'good',
    }) as const;
  const late = (key: 'pending' | 'manual') =>
    ({ short: t(`money.${key}`, values), long: t(`money.${key}Long`, values), tone: 'attention' }) as const;
  switch (money.state) {
    case 'none':
      return plain(money.chargedCredits > 0 ? 'spent' : 'nothing');
    case 'held':
      return plain(money.chargedCredits > 0 ? 'spentOf' : 'held');
    case 'charged':
      return plain('charged');
    case 'partly_charged':
      if (money.chargedCredits === 0) return back('returned');
      return {
        short: t('money.partly', values),
        long: t(`money.partlyLong${ofPart}`, { ...values, part: partWords(money.part, say) }),
        tone: 'plain',
      };
    case 'refund_pending':
      return late('pending');
    case 'refund_manual':
      return late('manual');
    case 'refunded':
      return back('refunded');
  }
}

/** Before a refund is booked its amount is still the hold. */
function refundAmount(money: MoneyView): number {
  return money.returnedCredits > 0 ? money.returnedCredits : money.heldCredits;
}

type CancelWords = { label: string; meaning: string } | null;

/** What a cancel would do now, said before it is pressed; null when there is nothing left to cancel. */
export function cancelWords(task: TaskView, { t, credits }: Say): CancelWords {
  if (isTerminal(task.status) || task.cancelRequested) return null;
  switch (task.cancel) {
    case 'free': {
      const { heldCredits } = task.money;
      return {
        label: t('cancel.label'),
        meaning: t('cancel.free', { count: heldCredits, credits: credits(heldCredits) }),
      };
    }
    case 'request':
      return isComposite(task.kind)
        ? { label: t('cancel.label'), meaning: t('cancel.composite') }
        : { label: t('cancel.ask'), meaning: t('cancel.request') };
    case 'unsupported':
    case 'none':
      return null;
  }
}

/** Why a live task offers no cancel, or what the one that was asked for is waiting for. */
export function cancelNote(task: TaskView, { t }: Say): string | null {
  if (isTerminal(task.status)) return null;
  if (task.cancelRequested) return t(isComposite(task.kind) ? 'cancel.askedComposite' : 'cancel.asked');
  if (task.status === 'archiving' && !isComposite(task.kind)) return t('cancel.tooLate');
  return task.cancel === 'unsupported' ? t('cancel.unsupported') : null;
}

/** One polite sentence for screen readers when a task ends. */
export function endAnnouncement(task: TaskView, say: Say): string {
  const kind = say.states(`kind.${task.kind}`);
  const name = isComposite(task.kind) ? kind : say.t('end.name', { kind, model: task.model.title });
  const money = moneyWords(task.money, say).short;
  if (task.status === 'succeeded' || task.status === 'cancelled') {
    return say.t(`end.${task.status}`, { name, money });
  }
  const reason = task.failure ? failureSentence(say, task.failure) : say.t('end.noReason');
  return say.t('end.failed', { name, reason, money });
}

/** What was charged of the order, in its units. */
function partWords(part: MoneyView['part'], { t }: Say): string {
  if (!part) return t('part.unknown');
  return t(`part.${part.unit}`, { charged: part.chargedUnits, ordered: part.orderedUnits });
}
