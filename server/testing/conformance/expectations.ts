import type { EndStatus, Script } from './scripts.ts';
import type { WireProfile } from './wire-profile.ts';

/** How a script may end, from the rules of the product alone. */

type Scripted = { profile: WireProfile; script: Script };

/** Crash points at which what upstream answered, or whether it was asked, is lost with the process. */
export const LOSES_THE_ANSWER: ReadonlySet<string> = new Set([
  'dispatch.after-sent',
  'dispatch.after-create',
]);

/** Credits of a success: the share of what was ordered that came, rounded down. */
export function chargeOf(run: { heldCredits: number; ordered: number }, delivered: number): number {
  return Math.floor((run.heldCredits * Math.min(delivered, run.ordered)) / run.ordered);
}

export function allowedEnds({ profile, script }: Scripted): readonly EndStatus[] {
  const ends = endsOf({ profile, script });
  if (script.actor === 'cancel_unsent') return ['cancelled'];
  // A cancel is a request: it may come too late, be unsupported, or win.
  return script.actor === 'cancel' ? [...new Set([...ends, 'cancelled' as const])] : ends;
}

function endsOf({ profile, script }: Scripted): readonly EndStatus[] {
  switch (script.create) {
    case 'reject':
    case 'account_reject':
    case 'refused_port':
    case 'reset':
      return ['failed'];
    case 'accept_then_502':
    case 'accept_then_reset':
    case 'no_id':
    case 'html':
      // Nobody knows: it ends by the policy, unless upstream can be asked by our reference.
      return profile.lookup
        ? [...new Set<EndStatus>(['failed', ...endsOfJob({ profile, script })])]
        : ['failed'];
    case 'accept':
    case 'rate_limit_once':
      // Whoever stops between the gate and the answer's commit leaves an unknown outcome behind.
      return LOSES_THE_ANSWER.has(script.crash ?? '')
        ? [...new Set<EndStatus>(['failed', ...endsOfJob({ profile, script })])]
        : endsOfJob({ profile, script });
  }
}

function endsOfJob({ profile, script }: Scripted): readonly EndStatus[] {
  switch (script.polls.at(-1)) {
    case 'failed':
    case 'moderated':
    case 'empty':
    case 'missing':
    case 'running':
      return ['failed'];
    case 'cancelled':
      return ['cancelled', 'failed'];
    default:
      return endsOfMedia({ profile, script });
  }
}

function endsOfMedia({ profile, script }: Scripted): readonly EndStatus[] {
  if (profile.kind === 'text')
    return script.media === 'ok' || !profile.synchronous ? ['succeeded'] : ['succeeded', 'failed'];
  switch (script.media) {
    case 'ok':
    case 'expired_then_fresh':
      return ['succeeded'];
    case 'zero':
    case 'html':
    case 'huge':
    case 'private_redirect':
    case 'expired':
      return ['failed'];
  }
}
