import { setTimeout as sleep } from 'node:timers/promises';
import { findBehaviour } from './attachments.ts';
import { deliver } from './deliver.ts';
import { type Sandbox, toSeconds, type WebhookFormat, type WebhookMessage } from './endpoint.ts';
import { failedTruth, isFinal, type JobTruth, truthOf } from './job-view.ts';
import { type Delivery, type Job, logDelivery, type WebhookTarget } from './state.ts';
import { toJson } from './wire.ts';

/** Tells a job's webhook what becomes of it: rightly, or as the job's behaviours want it. */

const TRIES = 3;
const LOOK_AGAIN_MS = 25;

const ATTACKER = 'http://attacker.invalid';

type Variant = {
  fault: Delivery['fault'];
  signer: 'genuine' | 'forged' | 'nobody';
  ageSeconds?: number;
  /** Changes the body behind the back of the signature. */
  tamper?: (body: string) => string;
};

/** Where results point to an attacker; a message without any is written differently at least. */
const redirectToAttacker = (origin: string) => (body: string) =>
  body.includes(origin) ? body.replaceAll(origin, ATTACKER) : `${body}\n`;

/** What is sent in place of, or beside, one message. */
function variantsOf(sandbox: Sandbox, job: Job): Variant[] {
  const genuine: Variant = { fault: null, signer: 'genuine' };
  const old = findBehaviour(job.behaviours, 'webhook_old');
  if (old) return [{ ...genuine, fault: old.type, ageSeconds: old.ageSeconds }];
  const forged = findBehaviour(job.behaviours, 'webhook_forged');
  if (forged) {
    const tamper = forged.how === 'signature' ? undefined : redirectToAttacker(sandbox.origin());
    const signer = ({ signature: 'forged', body: 'genuine', unsigned: 'nobody' } as const)[forged.how];
    return [{ fault: forged.type, signer, tamper }, ...(forged.genuine ? [genuine] : [])];
  }
  const duplicate = findBehaviour(job.behaviours, 'webhook_duplicate');
  if (!duplicate) return [genuine];
  return Array.from({ length: duplicate.copies }, () => ({ ...genuine, fault: duplicate.type }));
}

async function tell(
  sandbox: Sandbox,
  job: Job,
  webhooks: WebhookFormat,
  input: { target: WebhookTarget; message: WebhookMessage; fault?: Delivery['fault'] },
): Promise<void> {
  const { target, message } = input;
  const body = toJson(message.body, job.numericId ? job.id : undefined);
  const now = toSeconds(Date.now());
  for (const variant of variantsOf(sandbox, job)) {
    const signed = { id: message.id, timestamp: now - (variant.ageSeconds ?? 0), body };
    const delivery = logDelivery(sandbox.state, {
      jobId: job.id,
      clientRef: job.clientRef,
      format: job.format,
      event: message.event,
      url: target.url,
      headers: variant.signer === 'nobody' ? {} : webhooks.sign(sandbox.keys[variant.signer], signed),
      body: variant.tamper ? variant.tamper(body) : body,
      fault: input.fault ?? variant.fault,
      tries: [],
      delivered: false,
      finished: false,
    });
    await deliver(delivery, { tries: TRIES, signal: sandbox.state.epoch.signal });
  }
}

async function tellAll(
  sandbox: Sandbox,
  job: Job,
  webhooks: WebhookFormat,
  input: { target: WebhookTarget; moment: 'start' | 'end'; truth: JobTruth; fault?: Delivery['fault'] },
): Promise<void> {
  const { target, moment, truth, fault } = input;
  for (const message of webhooks.messages(sandbox, job, moment, truth)) {
    const wanted = target.events === null || target.events.includes(message.event);
    if (wanted) await tell(sandbox, job, webhooks, { target, message, fault });
  }
}

/**
 * Follows a job to its end and tells its webhook on the way. A job that fails first and succeeds late is told twice.
 * Ends early, without an error, when the sandbox is reset or closed.
 */
export async function followJob(sandbox: Sandbox, job: Job, webhooks: WebhookFormat): Promise<void> {
  const { state } = sandbox;
  const { signal } = state.epoch;
  const target = job.webhook;
  if (!target || findBehaviour(job.behaviours, 'webhook_none')) return;
  let started = false;
  let told: string | null = null;
  while (!signal.aborted && state.jobs.get(job.id) === job) {
    const truth = truthOf(job, Date.now());
    try {
      if (!started && truth.status !== 'queued' && truth.status !== 'cancelled') {
        started = true;
        await tellAll(sandbox, job, webhooks, { target, moment: 'start', truth });
      }
      if (isFinal(truth) && truth.status !== told) {
        told = truth.status;
        await tellAll(sandbox, job, webhooks, { target, moment: 'end', truth });
        const contradict = findBehaviour(job.behaviours, 'webhook_contradict');
        if (contradict) {
          const input = { target, moment: 'end', truth: failedTruth(), fault: contradict.type } as const;
          await tellAll(sandbox, job, webhooks, input);
        }
      }
      if (isFinal(truth) && (told !== 'failed' || !findBehaviour(job.behaviours, 'late_success'))) return;
      await sleep(LOOK_AGAIN_MS, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
