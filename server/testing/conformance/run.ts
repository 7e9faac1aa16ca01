import type { Play } from './scripted-upstream.ts';
import type { Script } from './scripts.ts';
import type { WireProfile } from './wire-profile.ts';

/** Rounds after which a task must have ended: each ages what it waits for. */
export const MOST_ROUNDS = 60;

/** One script on its way: its task, and what has been seen of it. */
export type Run = {
  profile: WireProfile;
  script: Script;
  play: Play;
  userId: string;
  taskId: string;
  channelId: string;
  heldCredits: number;
  ordered: number;
  /** Rounds in which the task was uncertain. */
  uncertainRounds: number;
  status: string;
  endedInRound: number | undefined;
  cancelled: boolean;
};

/** What broke an invariant; without a profile: of all together. */
export type Problem = { profile: string; text: string };
