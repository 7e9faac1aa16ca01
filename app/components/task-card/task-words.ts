import { formatCredits, formatDuration } from '#app/lib/format.ts';
import type { MoneyView, TaskView } from '#server/generation/schemas.ts';
import { isTerminal } from '#server/generation/status.ts';

/** Pure texts about a task. Times are not in them: components show those, in the reader's zone. */

const RESULT = { image: 'images', video: 'video', audio: 'sound', text: 'text' } as const;

/** What is going on, in one sentence, where the server has no more particular one ({@link TaskView.waiting}). */
export function statusSentence(task: TaskView): string {
  if (task.waiting) return task.waiting;
  switch (task.status) {
    case 'queued':
      return 'In line. It starts as soon as there is room, also when this page is closed.';
    case 'dispatching':
      return `Being handed to ${task.model.title}.`;
    case 'running':
      return `${task.model.title} is at work. You can close this page.`;
    case 'archiving':
      return `Finished by the model. The ${RESULT[task.kind]} ${task.kind === 'image' ? 'are' : 'is'} being saved.`;
    case 'uncertain':
      return 'We do not know yet whether the model is working on this.';
    case 'waiting':
      return 'Waiting for its parts.';
    case 'succeeded':
      return describeOutputs(task);
    case 'failed':
      return task.failure?.message ?? 'It failed.';
    case 'cancelled':
      return task.outputs.length > 0 ? 'Cancelled. What was finished by then is yours.' : 'Cancelled.';
  }
}

const NOUNS = {
  image: ['image', 'images'],
  video: ['video', 'videos'],
  audio: ['sound', 'sounds'],
  text: ['text', 'texts'],
} as const;

/** "4 images, 1024 × 1024", "1 video, 0:08". */
function describeOutputs(task: TaskView): string {
  const count = task.outputs.length;
  const first = task.outputs[0];
  if (!first) return 'Done.';
  const [one, several] = NOUNS[task.kind];
  const size = first.width && first.height ? `, ${first.width} × ${first.height}` : '';
  const length = first.durationMs ? `, ${formatDuration(first.durationMs)}` : '';
  const missing = count < task.orderedOutputs ? ` of ${task.orderedOutputs} ordered` : '';
  return `${count}${missing} ${count === 1 && !missing ? one : several}${size}${length}`;
}

type Tone = 'plain' | 'good' | 'attention';

/** What the credits of a task did. `short` fits a card; `long` explains it on the task's page. */
export function moneyWords(money: MoneyView): { short: string; long: string; tone: Tone } {
  const held = formatCredits(money.heldCredits);
  const charged = formatCredits(money.chargedCredits);
  const returned = formatCredits(money.returnedCredits);
  switch (money.state) {
    case 'held':
      return {
        short: `${held} held`,
        long: `${held} are set aside for this task. They are charged when it delivers and come back when it does not.`,
        tone: 'plain',
      };
    case 'charged':
      return {
        short: `${charged} charged`,
        long: `${charged} were charged for what was delivered.`,
        tone: 'plain',
      };
    case 'partly_charged':
      if (money.chargedCredits === 0) {
        return {
          short: `Returned ${returned}`,
          long: `Nothing was charged: ${returned} are back in your balance.`,
          tone: 'good',
        };
      }
      return {
        short: `${charged} charged, ${returned} returned`,
        long: `Not all of the order was delivered: ${charged} were charged, ${returned} are back in your balance.`,
        tone: 'plain',
      };
    case 'refund_pending': {
      const amount = formatCredits(refundAmount(money));
      return {
        short: `Refund of ${amount} pending`,
        long: `Nothing is charged. ${amount} are on their way back to your balance.`,
        tone: 'attention',
      };
    }
    case 'refund_manual': {
      const amount = formatCredits(refundAmount(money));
      return {
        short: `Refund of ${amount} delayed`,
        long: `Nothing is charged. The refund of ${amount} could not be booked by itself; an operator has been told and books it by hand.`,
        tone: 'attention',
      };
    }
    case 'refunded':
      return {
        short: `Refunded ${returned}`,
        long: `Nothing was charged: ${returned} are back in your balance.`,
        tone: 'good',
      };
  }
}

/** Before a refund is booked its amount is still the hold. */
function refundAmount(money: MoneyView): number {
  return money.returnedCredits > 0 ? money.returnedCredits : money.heldCredits;
}

type CancelWords = { label: string; meaning: string } | null;

/** What a cancel would do now, said before it is pressed; null when there is nothing left to cancel. */
export function cancelWords(task: TaskView): CancelWords {
  if (isTerminal(task.status) || task.cancelRequested) return null;
  switch (task.cancel) {
    case 'free':
      return {
        label: 'Cancel',
        meaning: `Nothing has been sent yet: it is free, and ${formatCredits(task.money.heldCredits)} ${task.money.heldCredits === 1 ? 'comes' : 'come'} back at once.`,
      };
    case 'request':
      return {
        label: 'Ask to cancel',
        meaning: 'Only a request: if the model finishes first, you keep the result and pay for it.',
      };
    case 'unsupported':
    case 'none':
      return null;
  }
}

/** Why a live task offers no cancel, or what the one that was asked for is waiting for. */
export function cancelNote(task: TaskView): string | null {
  if (isTerminal(task.status)) return null;
  if (task.cancelRequested) {
    return 'You asked to cancel. If it stops, its credits come back; if it finishes first, you keep the result and pay for it.';
  }
  if (task.status === 'archiving') return 'Too late to cancel: the model has finished.';
  if (task.cancel === 'unsupported') return 'This model cannot be stopped once it has started.';
  return null;
}

type Doubt = {
  /** What led to it. */
  happened: string;
  /** What goes on meanwhile, without the reader. The end of the wait is shown beside it. */
  next: string;
};

/** Why the outcome is unknown and what happens next, in plain words. */
export function uncertainWords(reason: NonNullable<TaskView['uncertain']>['reason']): Doubt {
  switch (reason) {
    case 'no_answer':
      return {
        happened:
          'This was sent to the model, but its answer never reached us, so it may or may not be running.',
        next: 'It is not sent again: that could run twice. We watch for any sign of it, and an administrator can look it up.',
      };
    case 'overdue':
      return {
        happened: 'The model has taken longer than it should and says neither yes nor no.',
        next: 'It is not started again: that could run twice. We keep asking.',
      };
    case 'missing':
      return {
        happened: 'The model no longer shows this job under its number. It may still be running.',
        next: 'It is not started again: that could run twice. We keep asking.',
      };
  }
}

/** One polite sentence for screen readers when a task ends. */
export function endAnnouncement(task: TaskView): string {
  const name = `${task.kind} by ${task.model.title}`;
  const end =
    task.status === 'succeeded'
      ? 'is done'
      : task.status === 'cancelled'
        ? 'was cancelled'
        : `failed: ${task.failure?.message ?? 'no reason was given.'}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${end}${/[.!?]$/.test(end) ? '' : '.'} ${moneyWords(task.money).short}.`;
}
