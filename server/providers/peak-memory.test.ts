import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeImage, makeMedia } from '#server/storage/testing/media-fixtures.ts';
import { pour, startArtefactServer } from './testing/artefact-rig.ts';
import type { PeakMemory } from './testing/peak-memory.ts';

/** B61: what large artefacts cost, measured on a process that does nothing else. */

const MEGABYTE = 1_000_000;
/** A gigabyte may take long on a slow disk; nothing here depends on how long. */
const NO_HURRY_MS = 1_200_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-peak-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Runs the transfer in a child process against a server of this one. */
async function measure(
  mode: 'download' | 'create',
  answer: (size: 'small' | 'large', response: ServerResponse) => void,
): Promise<PeakMemory> {
  const server = await startArtefactServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => answer(`${request.url}${body}`.includes('large') ? 'large' : 'small', response));
  });
  const script = fileURLToPath(new URL('./testing/peak-memory.ts', import.meta.url));
  try {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', script, mode, server.origin, dir, String(5_000 * MEGABYTE)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    expect(code, output).toBe(0);
    return JSON.parse(output) as PeakMemory;
  } finally {
    await server.close();
  }
}

function* repeated(start: Uint8Array, piece: Uint8Array, bytes: number, end = ''): Generator<Uint8Array> {
  yield start;
  for (let left = bytes; left > 0; left -= piece.byteLength)
    yield piece.subarray(0, Math.min(left, piece.byteLength));
  if (end) yield Buffer.from(end);
}

it(
  'B61: 2 GB stream to the disk in flat memory',
  async () => {
    const padding = 2_000 * MEGABYTE;
    const mp4 = await makeMedia('mp4');
    // A box named `free` is passed over by every player. Its length is counted with the 16 bytes of its own head.
    const box = Buffer.alloc(16);
    box.writeUInt32BE(1, 0);
    box.write('free', 4, 'latin1');
    box.writeBigUInt64BE(BigInt(padding + 16), 8);
    const zeros = Buffer.alloc(262_144);
    const { before, after, result } = await measure('download', (size, response) => {
      const extra = size === 'large' ? padding : 0;
      const start = extra > 0 ? Buffer.concat([mp4, box]) : mp4;
      pour(response.writeHead(200), repeated(start, zeros, extra));
    });
    expect(result).toMatchObject({
      type: 'stored',
      output: { mime: 'video/mp4', bytes: mp4.byteLength + 16 + padding, width: 64, height: 48 },
    });
    expect(after - before).toBeLessThan(150 * MEGABYTE);
  },
  NO_HURRY_MS,
);

it.each([
  ['announced', true],
  ['not announced', false],
])(
  'B61: an image of 60 MB in base64, its length %s, costs a few times its size and leaves nothing for the database',
  async (_name, isAnnounced) => {
    const bytes = 60 * MEGABYTE;
    const png = await makeImage('png');
    // Base64 of whole groups of three bytes can be continued; zeros after the end of a PNG are passed over.
    const start = Buffer.concat([png, Buffer.alloc(3 - (png.byteLength % 3))]).toString('base64');
    const zeros = Buffer.alloc(262_144, 'A');
    const head = Buffer.from(`{"created":1,"data":[{"b64_json":"${start}`);
    const end = '","revised_prompt":"a harbour"}]}';
    const peak = await measure('create', (size, response) => {
      const extra = size === 'large' ? (bytes / 3) * 4 : 0;
      const length = head.byteLength + extra + end.length;
      response.writeHead(200, {
        'content-type': 'application/json',
        ...(isAnnounced ? { 'content-length': length } : {}),
      });
      pour(response, repeated(head, zeros, extra, end));
    });
    expect(peak.result).toMatchObject({
      type: 'stored',
      output: { mime: 'image/png', width: 40, height: 30 },
    });
    expect(peak.raw).toContain('[stored]');
    expect(peak.raw.length).toBeLessThan(1_000);
    expect(peak.after - peak.before).toBeLessThan(400 * MEGABYTE);
  },
  NO_HURRY_MS,
);
