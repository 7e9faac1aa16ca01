import type { Sandbox } from './endpoint.ts';
import { applyFaults, type Phase, sendBody } from './faults.ts';
import type { Job } from './state.ts';
import { type Exchange, toJson } from './wire.ts';

/** Sends an answer about a job that exists, as the faults of this call let it. */

type JobAnswer = { status?: number; value: unknown; headers?: Record<string, string> };

/** @param render makes the ordinary answer; not called when a fault answers in its place */
async function answerJob(
  sandbox: Sandbox,
  exchange: Exchange,
  job: Job,
  call: { phase: Phase; render: () => JobAnswer },
): Promise<void> {
  const faults = await applyFaults(sandbox.state, exchange, job, call.phase);
  if (faults.type === 'answered') return;
  if (call.phase !== 'cancel') job.polls += 1;
  const { status = 200, value, headers } = call.render();
  const body = toJson(value, job.numericId ? job.id : undefined);
  sendBody(exchange, { status, body, headers }, faults.type === 'truncated' ? faults : undefined);
}

export const answerPoll = (sandbox: Sandbox, exchange: Exchange, job: Job, render: () => JobAnswer) =>
  answerJob(sandbox, exchange, job, { phase: 'poll', render });

/** Where the result is fetched apart from the status. */
export const answerResult = (sandbox: Sandbox, exchange: Exchange, job: Job, render: () => JobAnswer) =>
  answerJob(sandbox, exchange, job, { phase: 'result', render });

export const answerCancel = (sandbox: Sandbox, exchange: Exchange, job: Job, render: () => JobAnswer) =>
  answerJob(sandbox, exchange, job, { phase: 'cancel', render });
