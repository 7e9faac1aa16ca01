import { audioAnswer } from '../audio-answer.ts';
import { checkBy, sendCreate } from '../calls.ts';
import { asText, valueAt } from '../json.ts';
import type { CallContext, CreateOutcome, CreateRequest, ProviderAdapter } from '../provider.ts';
import { refuseReferences } from '../request-params.ts';
import { apiUrl, callOf } from './client.ts';

/**
 * ElevenLabs (vendor documentation "API reference"): every answer is the sound itself, so there are no jobs, nothing to
 * poll and nothing to look up.
 */
export const elevenlabsAdapter: ProviderAdapter = {
  protocol: 'elevenlabs',
  endpoints: {
    speech: { kind: 'audio', cancellable: false },
    sound: { kind: 'audio', cancellable: false },
    music: { kind: 'audio', cancellable: false },
  },
  canLookup: false,
  credentials: (apiKey) => ({ 'xi-api-key': apiKey }),
  create: createSound,
  takesFile: () => false,
  async poll(ref) {
    const message = `The endpoint "${ref.endpoint}" has no jobs to poll.`;
    return { type: 'transient', errorClass: 'internal', message };
  },
  check: (ctx) =>
    checkBy(
      ctx,
      { url: apiUrl(ctx.baseUrl, '/user') },
      {
        title: 'ElevenLabs',
        proves(body) {
          const plan = asText(valueAt(body, 'subscription.tier'));
          if (plan === undefined && asText(body.user_id) === undefined) return undefined;
          return `It works: the key is accepted${plan ? ` (plan "${plan.slice(0, 40)}")` : ''}.`;
        },
        // A key that may only speak is as good for us.
        alsoProves: (_response, body) =>
          valueAt(body, 'detail.status') === 'missing_permissions'
            ? 'It works: the key is accepted; it may not read the account, so the plan is not shown.'
            : undefined,
      },
    ),
};

async function createSound(request: CreateRequest, ctx: CallContext): Promise<CreateOutcome> {
  const refusal = refuseReferences(request, () => false);
  if (refusal) return refusal;
  const call = callOf(request);
  if ('refused' in call) return { type: 'rejected', ...call.refused };
  const { path, json, query } = call;
  const sent = await sendCreate(ctx, apiUrl(ctx.baseUrl, path), { json, query });
  return 'outcome' in sent ? moderatedOf(sent.outcome) : audioAnswer(sent.response, ctx);
}

/** Prompts that name artists or songs are refused under codes of their own. */
function moderatedOf(outcome: CreateOutcome): CreateOutcome {
  return outcome.type === 'rejected' && /^bad_(prompt|composition_plan)$/.test(outcome.code)
    ? { ...outcome, moderated: true }
    : outcome;
}
