import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as server from '#server/maintenance/schemas.ts';
import { MIN_TOKEN_CHARACTERS } from '#server/maintenance/service-token.ts';
import * as daemon from './protocol.ts';

describe('what the daemon repeats of the server', () => {
  it('is the same on both sides', () => {
    expect(daemon.PROTOCOL_VERSION).toBe(server.PROTOCOL_VERSION);
    expect(daemon.WORKER_ID_HEADER).toBe(server.WORKER_ID_HEADER);
    expect(daemon.PROTOCOL_HEADER).toBe(server.PROTOCOL_HEADER);
    expect(daemon.MIN_TOKEN_CHARACTERS).toBe(MIN_TOKEN_CHARACTERS);
    expect(daemon.CALL_BUDGET_MS).toBe(server.CALL_BUDGET_MS);
  });

  it('has the bounds that the server accepts', () => {
    const input = (limit: number, waitMs: number) =>
      server.runTasksInput.safeParse({ lane: 0, limit, waitMs }).success;
    expect(input(daemon.MAX_KNOCK_LIMIT, daemon.MAX_LONG_POLL_MS)).toBe(true);
    expect(input(daemon.MAX_KNOCK_LIMIT + 1, 0)).toBe(false);
    expect(input(1, daemon.MAX_LONG_POLL_MS + 1)).toBe(false);
  });

  it('has the release of package.json', () => {
    const packageJson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(daemon.DAEMON_VERSION).toBe(packageJson.version);
  });
});

describe('the bundled daemon', () => {
  it('holds no server code, no database driver and no phase name', async () => {
    const { metafile, outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('./main.ts', import.meta.url))],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs);
    const own = inputs.filter((file) => !file.includes('node_modules/'));
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter((file) => !file.startsWith('daemon/'))).toEqual([]);
    expect(
      inputs.filter((file) => /node_modules\/(postgres|pg|drizzle-orm|express|react)\//.test(file)),
    ).toEqual([]);
    const text = outputFiles[0]?.text ?? '';
    const words = ['generation_tasks', 'archiving', 'credit_refunds', 'DATABASE_URL', 'sql`'];
    expect(words.filter((word) => text.includes(word))).toEqual([]);
  });
});
