import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBehaviour, takeBehaviour } from './attachments.ts';
import { applyFaults } from './faults.ts';
import type { MediaFile } from './media/media-cache.ts';
import type { Behaviour } from './rules.ts';
import type { Job, SandboxState } from './state.ts';
import { ApiError, dropConnection, type Exchange, sendError, sendText } from './wire.ts';

/** Bytes of artefacts: the answer of a content call, of `/files/…`, and of speech. */

const WRONG_BODIES = {
  html: '<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>',
  json: '{"error":{"message":"The file has expired.","type":"invalid_request_error","param":null,"code":"expired"}}',
} as const;

/** What stands in for the bytes of a file, if a behaviour says so. Uses up `times`. */
export function takeReplacement(job: Job): { body: string; fault: Behaviour['type'] } | undefined {
  const found = takeBehaviour(
    job.behaviours,
    (item) => item.type === 'wrong_body' || item.type === 'zero_bytes',
  );
  if (!found) return undefined;
  return { body: found.type === 'wrong_body' ? WRONG_BODIES[found.as] : '', fault: found.type };
}

async function drip(
  exchange: Exchange,
  bytes: Buffer,
  pace: { bytes: number; everyMs: number },
): Promise<void> {
  const { res } = exchange;
  for (let offset = 0; offset < bytes.length && !res.destroyed; offset += pace.bytes) {
    res.write(bytes.subarray(offset, offset + pace.bytes));
    await sleep(pace.everyMs, undefined, { ref: false });
  }
  res.end();
}

async function pourForEver(exchange: Exchange): Promise<void> {
  const { res } = exchange;
  const chunk = Buffer.alloc(65_536, 7);
  while (!res.destroyed) {
    const room = res.write(chunk);
    await sleep(room ? 1 : 20, undefined, { ref: false });
  }
}

/** Sends a file as the body of an answer, as the job's behaviours want it. */
export async function sendFile(exchange: Exchange, job: Job, file: MediaFile): Promise<void> {
  const { res, log } = exchange;
  if (res.headersSent || res.destroyed) return;
  const mime = findBehaviour(job.behaviours, 'wrong_mime')?.mime ?? file.mime;
  const replacement = takeReplacement(job);
  if (replacement) {
    log.fault = replacement.fault;
    sendText(exchange, { status: 200, contentType: mime, body: replacement.body });
    return;
  }
  if (findBehaviour(job.behaviours, 'endless')) {
    log.fault = 'endless';
    res.writeHead(200, { 'content-type': mime });
    await pourForEver(exchange);
    return;
  }
  const broken = takeBehaviour(job.behaviours, (item) => item.type === 'broken_download');
  const slow = findBehaviour(job.behaviours, 'slow_drip');
  res.writeHead(200, { 'content-type': mime, 'content-length': file.bytes });
  if (broken?.type === 'broken_download') {
    log.fault = broken.type;
    res.write((await readFile(file.path)).subarray(0, broken.afterBytes), () => dropConnection(exchange));
    // A write of no bytes may never call back.
    if (broken.afterBytes === 0) res.flushHeaders();
    if (broken.afterBytes === 0) dropConnection(exchange);
    return;
  }
  if (slow) {
    log.fault = slow.type;
    await drip(exchange, await readFile(file.path), slow);
    return;
  }
  // A client that leaves early is not our failure.
  await pipeline(createReadStream(file.path), res).catch(() => res.destroy());
}

/** Why the bytes are not to be had now; uses up `times`. */
function takeDenial(exchange: Exchange, job: Job, mayBeMissing: boolean): Behaviour | undefined {
  const stale = findBehaviour(job.behaviours, 'expired')?.fresh;
  if (stale) {
    job.staleUpTo ??= job.polls;
    const givenAt = Number(exchange.url.searchParams.get('read') ?? 0);
    if (givenAt > job.staleUpTo) return undefined;
  }
  return takeBehaviour(
    job.behaviours,
    (item) => item.type === 'expired' || (mayBeMissing && item.type === 'no_artifact'),
  );
}

/** Marks the address at which a redirect ends. */
const MOVED = 'moved';

type Content = {
  file: MediaFile;
  /** Where a redirect leads unless a behaviour says otherwise. */
  publicUrl: string;
  /** Success without an artefact shows here, because no address was given that could be left out. */
  mayBeMissing?: boolean;
};

/** A content call or a public file: faults of access first, then the bytes. */
export async function sendContent(
  state: SandboxState,
  exchange: Exchange,
  job: Job,
  content: Content,
): Promise<void> {
  job.contentReads += 1;
  const faults = await applyFaults(state, exchange, job, 'content');
  if (faults.type === 'answered') return;
  const denied = takeDenial(exchange, job, content.mayBeMissing ?? false);
  if (denied) {
    exchange.log.fault = denied.type;
    const status = denied.type === 'expired' ? denied.status : 404;
    const code = denied.type === 'expired' ? 'expired' : 'not_found';
    sendError(exchange, new ApiError(status, code, 'The content is not available.'));
    return;
  }
  const moved = exchange.url.searchParams.has(MOVED)
    ? undefined
    : takeBehaviour(job.behaviours, (item) => item.type === 'redirect' && item.on === 'content');
  if (moved?.type === 'redirect') {
    exchange.log.fault = moved.type;
    const target = new URL(content.publicUrl);
    target.searchParams.set(MOVED, '1');
    const headers = { location: moved.to ?? target.href };
    sendText(exchange, { status: 302, contentType: 'text/plain', body: '', headers });
    return;
  }
  await sendFile(exchange, job, content.file);
}
