import type { CrashPointName } from '../crash-points.ts';
import { STEP_CRASH_POINTS } from '../step-crash-points.ts';
import type { JobState, WireProfile } from './wire-profile.ts';

/** What may happen to one task, as axes, and the scripts that the suite draws from them. */

type CreateStep =
  | 'accept'
  | 'reject'
  | 'account_reject'
  /** 429 once, then taken. */
  | 'rate_limit_once'
  /** Nothing listens: proven not to have been sent. */
  | 'refused_port'
  /** The job is there, the answer is a 502 page. */
  | 'accept_then_502'
  /** The job is there, the socket breaks. */
  | 'accept_then_reset'
  /** The socket breaks; there is no job. */
  | 'reset'
  | 'no_id'
  | 'html';

/** One answer to a poll. */
export type PollStep =
  | JobState['type']
  | 'partial'
  | 'missing'
  | '429'
  | '503'
  | '401'
  | 'reset_poll'
  | 'html_poll'
  | 'empty_body'
  | 'truncated';

type MediaStep = 'ok' | 'zero' | 'html' | 'huge' | 'private_redirect' | 'expired_then_fresh' | 'expired';

type Actor = 'one' | 'two_workers' | 'kick' | 'cancel' | 'cancel_unsent' | 'disable_user' | 'hint';

export type EndStatus = 'succeeded' | 'failed' | 'cancelled';

export type Script = {
  name: string;
  create: CreateStep;
  /** The last one repeats. */
  polls: readonly PollStep[];
  media: MediaStep;
  actor: Actor;
  crash?: CrashPointName;
  /** What upstream says after the end; it must change nothing. */
  afterwards?: PollStep;
};

const BASE: Omit<Script, 'name'> = {
  create: 'accept',
  polls: ['queued', 'running', 'succeeded'],
  media: 'ok',
  actor: 'one',
};

const POLLS: Readonly<Record<string, readonly PollStep[]>> = {
  ok: ['queued', 'running', 'succeeded'],
  'transient answers': ['429', '503', 'reset_poll', 'html_poll', 'empty_body', 'truncated', 'succeeded'],
  unauthorized: ['401', '401', 'succeeded'],
  'missing at first': ['missing', 'missing', 'running', 'succeeded'],
  'missing for good': ['missing'],
  'an unknown word': ['unknown', 'unknown', 'succeeded'],
  failed: ['running', 'failed'],
  moderated: ['running', 'running', 'moderated'],
  'cancelled by itself': ['running', 'cancelled'],
  'success without a result': ['empty'],
  'success, the result later': ['empty', 'empty', 'succeeded'],
  'stuck for ever': ['running'],
  partial: ['partial'],
};

const CREATES: readonly CreateStep[] = [
  'accept',
  'reject',
  'account_reject',
  'rate_limit_once',
  'refused_port',
  'accept_then_502',
  'accept_then_reset',
  'reset',
  'no_id',
  'html',
];
const MEDIA: readonly MediaStep[] = [
  'ok',
  'zero',
  'html',
  'huge',
  'private_redirect',
  'expired_then_fresh',
  'expired',
];
const ACTORS: readonly Actor[] = [
  'one',
  'two_workers',
  'kick',
  'cancel',
  'cancel_unsent',
  'disable_user',
  'hint',
];
const CRASHES: readonly CrashPointName[] = ['claim.after', ...STEP_CRASH_POINTS];

/** Every value of every axis once, pairs of the axes that meet in practice, contradictions, and each crash point. */
export function scriptsFor(profile: WireProfile): Script[] {
  const all = [
    ...CREATES.map((create) => ({ ...BASE, name: `create ${create}`, create })),
    ...Object.entries(POLLS).map(([name, polls]) => ({ ...BASE, name: `polls ${name}`, polls })),
    ...MEDIA.map((media) => ({ ...BASE, name: `media ${media}`, media })),
    ...ACTORS.map((actor) => ({ ...BASE, name: `actor ${actor}`, actor })),
    ...pairs(),
    ...contradictions(),
    ...CRASHES.map((crash) => ({ ...BASE, name: `crash ${crash}`, crash, ...failingFor(crash) })),
  ];
  const seen = new Set<string>();
  return all.filter((script) => {
    const same = JSON.stringify({ ...script, name: undefined });
    if (seen.has(same) || !applies(script, profile)) return false;
    seen.add(same);
    return true;
  });
}

/** The points of a failure are passed only by a task that fails. */
function failingFor(crash: CrashPointName): Partial<Script> {
  return /^(fail|refund)\./.test(crash) ? { polls: ['failed'], create: 'accept' } : {};
}

function pairs(): Script[] {
  const scripts: Script[] = [];
  const racing: readonly Actor[] = ['two_workers', 'kick', 'cancel', 'hint'];
  for (const create of ['rate_limit_once', 'accept_then_502', 'reset', 'no_id', 'account_reject'] as const)
    for (const actor of racing) scripts.push({ ...BASE, name: `create ${create} × ${actor}`, create, actor });
  for (const [name, polls] of Object.entries(POLLS).filter(([key]) => key !== 'ok'))
    for (const actor of ['two_workers', 'cancel'] as const)
      scripts.push({ ...BASE, name: `polls ${name} × ${actor}`, polls, actor });
  for (const media of ['expired_then_fresh', 'html', 'huge'] as const)
    for (const actor of ['two_workers', 'hint'] as const)
      scripts.push({ ...BASE, name: `media ${media} × ${actor}`, media, actor });
  for (const crash of [
    'dispatch.after-create',
    'dispatch.after-sent',
    'poll.after',
    'archive.after-store',
  ] as const)
    for (const actor of ['two_workers', 'cancel'] as const)
      scripts.push({ ...BASE, name: `crash ${crash} × ${actor}`, crash, actor });
  for (const create of ['rate_limit_once', 'accept_then_502'] as const)
    for (const polls of ['transient answers', 'failed', 'missing at first'])
      scripts.push({ ...BASE, name: `create ${create} × polls ${polls}`, create, polls: POLLS[polls] ?? [] });
  return scripts;
}

function contradictions(): Script[] {
  return [
    { ...BASE, name: 'running and failed after success', afterwards: 'failed' },
    { ...BASE, name: 'success after failure', polls: ['failed'], afterwards: 'succeeded' },
    { ...BASE, name: 'success after the policy failed it', polls: ['running'], afterwards: 'succeeded' },
    {
      ...BASE,
      name: 'success after a lost answer was refunded',
      create: 'accept_then_502',
      afterwards: 'succeeded',
    },
  ];
}

/** Creates from which an asynchronous job is polled. */
const POLLED: ReadonlySet<CreateStep> = new Set([
  'accept',
  'rate_limit_once',
  'accept_then_502',
  'accept_then_reset',
]);

function applies(script: Script, profile: WireProfile): boolean {
  if (profile.synchronous) {
    // There is no job: nothing is polled, and the media come with the answer.
    if (script.polls !== BASE.polls || script.afterwards) return false;
    if (script.media !== 'ok' && script.media !== 'html' && script.media !== 'zero') return false;
    if (script.crash && /^(poll|fail|refund)\./.test(script.crash)) return false;
  }
  if (!POLLED.has(script.create) && script.polls !== BASE.polls) return false;
  return true;
}
