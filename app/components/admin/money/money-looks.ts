import {
  Ban,
  CheckCheck,
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  Gavel,
  Gift,
  Hourglass,
  RotateCcw,
  TimerOff,
  Undo2,
  UserRound,
} from 'lucide-react';
import type { Look } from '#app/components/ui/tone-badge.tsx';

type Face = Omit<Look, 'label'>;

/** Tones and icons of what the back office shows of money; the words are `states` of the texts. */
export const MONEY_FACES = {
  taskRefund: {
    pending: { tone: 'busy', Icon: Clock },
    settled: { tone: 'good', Icon: CircleCheck },
    manual: { tone: 'unsure', Icon: UserRound },
    voided: { tone: 'idle', Icon: Ban },
  },
  paymentRefund: {
    pending: { tone: 'busy', Icon: Clock },
    settled: { tone: 'good', Icon: CircleCheck },
    manual: { tone: 'unsure', Icon: UserRound },
    given_up: { tone: 'idle', Icon: Ban },
  },
  paymentOutcome: {
    applied: { tone: 'good', Icon: CircleCheck },
    repeated: { tone: 'idle', Icon: RotateCcw },
    ignored: { tone: 'idle', Icon: Ban },
    mismatch: { tone: 'unsure', Icon: CircleHelp },
  },
  /** How a chargeback stands. */
  dispute: {
    open: { tone: 'unsure', Icon: Gavel },
    won: { tone: 'good', Icon: CircleCheck },
    lost: { tone: 'bad', Icon: CircleX },
  },
  invite: {
    bound: { tone: 'idle', Icon: UserRound },
    qualified: { tone: 'busy', Icon: Hourglass },
    rewarded: { tone: 'good', Icon: Gift },
    refused: { tone: 'bad', Icon: CircleX },
    clawed_back: { tone: 'idle', Icon: Undo2 },
  },
  /** Whether codes of a batch can still be redeemed. */
  batch: {
    open: { tone: 'good', Icon: CircleCheck },
    used_up: { tone: 'idle', Icon: CheckCheck },
    expired: { tone: 'idle', Icon: TimerOff },
    revoked: { tone: 'bad', Icon: Ban },
  },
} as const satisfies Record<string, Record<string, Face>>;

export type MoneyStates = typeof MONEY_FACES;
