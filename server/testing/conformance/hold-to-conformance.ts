import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from '#server/providers/adapters.ts';
import { ALL_PROFILES } from './all-profiles.ts';
import { LOSES_THE_ANSWER } from './expectations.ts';
import { createConformance } from './run-scripts.ts';
import { type Script, scriptsFor } from './scripts.ts';

/** Fewer scripts than this for a profile mean that an axis was lost. */
const LEAST = { asynchronous: 80, synchronous: 40 };

/** Runs every script that applies to the profiles of these protocols, and prints how many. */
export function holdToConformance(protocols: readonly string[]): void {
  let conformance: Awaited<ReturnType<typeof createConformance>>;
  const counts: string[] = [];
  beforeAll(async () => {
    conformance = await createConformance();
  });
  afterAll(async () => {
    await conformance.close();
    process.stdout.write(`${counts.join('\n')}\n`);
  });

  it.each(protocols)('%s has a profile', (protocol) => {
    expect(ALL_PROFILES.some((profile) => profile.protocol === protocol)).toBe(true);
    expect(BUILT_IN_ADAPTERS.some((adapter) => adapter.protocol === protocol)).toBe(true);
  });

  const profiles = ALL_PROFILES.filter((profile) => protocols.includes(profile.protocol));
  describe.each(profiles.map((profile) => [profile.name, profile] as const))('%s', (name, profile) => {
    const scripts = scriptsFor(profile);

    it('keeps every invariant in every script', { timeout: 600_000 }, async () => {
      const problems: string[] = [];
      for (const batch of batchesOf(scripts))
        problems.push(...(await conformance.runAll(batch.map((script) => ({ profile, script })))));
      counts.push(`conformance: ${name} ${scripts.length} scripts`);
      expect(problems).toEqual([]);
      expect(scripts.length).toBeGreaterThanOrEqual(
        profile.synchronous ? LEAST.synchronous : LEAST.asynchronous,
      );
    });
  });
}

/** A crash point is shared by the whole process: scripts with one run apart from the others. */
function batchesOf(scripts: readonly Script[]): Script[][] {
  const loses = ({ crash }: Script) => LOSES_THE_ANSWER.has(crash ?? '');
  return [
    scripts.filter((script) => !script.crash),
    scripts.filter((script) => script.crash && !loses(script)),
    scripts.filter(loses),
  ].filter((batch) => batch.length > 0);
}
