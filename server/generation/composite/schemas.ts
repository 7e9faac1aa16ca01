import { z } from 'zod';
import { taskId } from '../schemas.ts';
import type { Status, TaskKind, WaitingFor } from '../status.ts';

/** What all composites have in common. Isomorphic: imports zod and contracts only. */

/** What a step is about; its kind says which fields it has. */
export type StepInput = Record<string, unknown>;
export type StepResult = Record<string, unknown>;

const STEP_STATUSES = ['planned', 'awaiting', 'running', 'done', 'failed', 'rejected', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export const compositeTaskInput = z.object({ taskId });

/** What a composite's one hold did so far; the parts add up to `heldCredits`. */
export type BudgetView = {
  /** Expected before it began; null where nothing could be expected. */
  estimateCredits: number | null;
  /** The cap: null before anything is held. */
  heldCredits: number | null;
  spentCredits: number;
  /** Held by children that are under way. */
  openCredits: number;
  freeCredits: number;
};

/** A child as its composite's page shows it. */
export type ChildView = {
  taskId: string;
  kind: TaskKind;
  status: Status;
  modelTitle: string;
  progress: number | null;
  failure: string | null;
  /** Plain words of an uncertain child. */
  uncertainUntil: Date | null;
  heldCredits: number;
  chargedCredits: number;
  outputs: {
    id: string;
    kind: 'image' | 'video' | 'audio' | 'text';
    mime: string;
    url: string;
    previewUrl: string | null;
    width: number | null;
    height: number | null;
    durationMs: number | null;
    removedAt: Date | null;
    isTrashed: boolean;
  }[];
};

/** What a composite's page and list show in common. */
export type CompositeView = {
  taskId: string;
  waitingFor: WaitingFor | null;
  waitingUntil: Date | null;
  paused: boolean;
  stopRequested: boolean;
  /** Whether these can be asked for now. */
  can: { pause: boolean; resume: boolean; stop: boolean; cancel: boolean };
  budget: BudgetView;
  revisionOf: string | null;
  /** All revisions of the same work, first one first. */
  versions: { taskId: string; status: Status; submittedAt: Date }[];
};
