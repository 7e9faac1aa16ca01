import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from '#server/providers/adapters.ts';
import { ALL_PROFILES } from './all-profiles.ts';
import { LOSES_THE_ANSWER } from './expectations.ts';
import type { Problem } from './run.ts';
import { createConformance } from './run-scripts.ts';
import { type Script, scriptsFor } from './scripts.ts';
import type { WireProfile } from './wire-profile.ts';

/** Fewer scripts than this for a profile mean that an axis was lost. */
const LEAST = { asynchronous: 120, synchronous: 56 };

/** Runs every script that applies to the profiles of these protocols, all side by side, and prints how many. */
export function holdToConformance(protocols: readonly string[]): void {
  const profiles = ALL_PROFILES.filter((profile) => protocols.includes(profile.protocol));
  const items = profiles.flatMap((profile) => scriptsFor(profile).map((script) => ({ profile, script })));
  const countOf = (name: string) => items.filter(({ profile }) => profile.name === name).length;
  const problems: Problem[] = [];

  beforeAll(async () => {
    const conformance = await createConformance();
    try {
      for (const batch of batchesOf(items)) problems.push(...(await conformance.runAll(batch)));
    } finally {
      await conformance.close();
    }
  }, 900_000);
  afterAll(() => {
    const lines = profiles.map(({ name }) => `conformance: ${name} ${countOf(name)} scripts`);
    process.stdout.write(`${lines.join('\n')}\n`);
  });

  it.each(protocols)('%s has a profile', (protocol) => {
    expect(ALL_PROFILES.some((profile) => profile.protocol === protocol)).toBe(true);
    expect(BUILT_IN_ADAPTERS.some((adapter) => adapter.protocol === protocol)).toBe(true);
  });

  it.each(profiles.map((profile) => [profile.name, profile] as const))(
    '%s keeps every invariant in every script',
    (name, profile) => {
      expect(problems.filter((problem) => problem.profile === name)).toEqual([]);
      expect(countOf(name)).toBeGreaterThanOrEqual(
        profile.synchronous ? LEAST.synchronous : LEAST.asynchronous,
      );
    },
  );

  it('the books are right, and every crash was met', () => {
    expect(problems.filter((problem) => problem.profile === '')).toEqual([]);
  });
}

type Item = { profile: WireProfile; script: Script };

/** A crash point is shared by the whole process: scripts with one run apart from the others. */
function batchesOf(items: readonly Item[]): Item[][] {
  const loses = ({ script: { crash } }: Item) => LOSES_THE_ANSWER.has(crash ?? '');
  return [
    items.filter(({ script }) => !script.crash),
    items.filter((item) => item.script.crash && !loses(item)),
    items.filter(loses),
  ].filter((batch) => batch.length > 0);
}
