import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMediaTools, isNewEnough, makeExecutable, mediaTools } from './media-tools.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sidelane-tools-test-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const ENDLESS = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=16x16:rate=5', '-f', 'null', '-'];

/** Process ids whose command line names `word`. */
async function processesNaming(word: string): Promise<string[]> {
  if (!existsSync('/proc/self')) {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args=']);
    return stdout.split('\n').filter((line) => line.includes(word));
  }
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const named = await Promise.all(
    ids.map(async (id) =>
      (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).includes(word) ? id : undefined,
    ),
  );
  return named.filter((id) => id !== undefined);
}

describe('finding', () => {
  it('finds both programs without anything installed on the system', async () => {
    expect(await createMediaTools().find('ffmpeg')).toBeDefined();
    expect(await createMediaTools().find('ffprobe')).toBeDefined();
  });

  it('takes the configured path and nothing else', async () => {
    expect(await createMediaTools({ ffmpegPath: '/nowhere/ffmpeg' }).find('ffmpeg')).toBeUndefined();
    const own = join(dir, 'ffmpeg');
    await writeFile(own, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    expect((await createMediaTools({ ffmpegPath: own }).find('ffmpeg'))?.at(-1)).toBe(own);
  });

  it('makes a packaged program executable whose install script was skipped', async () => {
    const packaged = join(dir, 'ffmpeg');
    await writeFile(packaged, '#!/bin/sh\nexit 0\n', { mode: 0o644 });
    expect(await makeExecutable(packaged)).toBe(packaged);
    expect(await createMediaTools({ ffmpegPath: packaged }).find('ffmpeg')).toBeDefined();
    expect(await makeExecutable(join(dir, 'absent'))).toBeUndefined();
  });

  it('passes over an ffmpeg on PATH that is older than 5', () => {
    expect(isNewEnough('ffmpeg version 4.4.2\nlibavutil      56. 70.100 / 56. 70.100')).toBe(false);
    expect(isNewEnough('ffmpeg version n5.1\nlibavutil      57. 28.100 / 57. 28.100')).toBe(true);
    expect(isNewEnough('ffmpeg version N-109-g1\nlibavutil      59.  8.100 / 59.  8.100')).toBe(true);
    expect(isNewEnough('something else')).toBe(false);
  });
});

describe('limits', () => {
  it('stops a run that takes too long or prints too much, and says so', async () => {
    expect(await mediaTools().run('ffmpeg', ENDLESS, { timeoutMs: 300, maxOutputBytes: 1_000 })).toEqual({
      type: 'unavailable',
      reason: 'it took too long',
    });
    const loud = ['-f', 'lavfi', '-i', 'testsrc=size=64x64', '-f', 'rawvideo', 'pipe:1'];
    expect(await mediaTools().run('ffmpeg', loud, { timeoutMs: 60_000, maxOutputBytes: 1_000 })).toEqual({
      type: 'unavailable',
      reason: 'it printed too much',
    });
  });

  it('ends with the signal, rejecting with its reason', async () => {
    const controller = new AbortController();
    const reason = new Error('lease lost');
    const run = mediaTools().run('ffmpeg', ENDLESS, {
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
      signal: controller.signal,
    });
    controller.abort(reason);
    await expect(run).rejects.toBe(reason);
  });

  it('reads nothing over the network', async () => {
    const args = ['-f', 'mov', '-i', 'http://127.0.0.1:1/x.mp4'];
    const result = await mediaTools().run('ffprobe', args, { timeoutMs: 60_000, maxOutputBytes: 1_000 });
    expect(result).toMatchObject({ type: 'exited', stderr: expect.stringContaining('not on whitelist') });
  });
});

describe('a process that ends', () => {
  async function startOwner(env = process.env) {
    const marker = join(dir, 'frames.raw');
    const script = fileURLToPath(new URL('./testing/endless-ffmpeg.ts', import.meta.url));
    const owner = spawn(process.execPath, ['--import', 'tsx', script, marker], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env,
    });
    await expect.poll(() => existsSync(marker), { timeout: 60_000 }).toBe(true);
    expect((await processesNaming(marker)).length).toBeGreaterThan(1);
    return { owner, marker };
  }

  it('takes its running ffmpeg with it', async () => {
    // Without PATH there is no setpriv, so this is our own doing.
    const { owner, marker } = await startOwner({ ...process.env, PATH: '/nowhere' });
    owner.stdin.end();
    await expect.poll(() => processesNaming(marker), { timeout: 60_000 }).toEqual([]);
  });

  it('takes it along when it is killed, where the system can do that', async () => {
    const { owner, marker } = await startOwner();
    owner.kill('SIGKILL');
    const bound = (await mediaTools().find('ffmpeg'))?.[0] === 'setpriv';
    const orphans = expect.poll(() => processesNaming(marker), { timeout: 60_000 });
    if (bound) await orphans.toEqual([]);
    else for (const id of await processesNaming(marker)) process.kill(Number.parseInt(id, 10), 'SIGKILL');
  });
});
