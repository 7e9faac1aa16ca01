import { expect, it } from 'vitest';
import type { Meta } from '#server/trpc/init.ts';
import { appRouter } from '#server/trpc/root.ts';

type Procedure = { _def: { meta?: Meta; type: string } };

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).map(
  ([name, procedure]) => ({ name, type: procedure._def.type, meta: procedure._def.meta }),
);
const below = (...prefixes: string[]) =>
  procedures.filter(({ name }) => prefixes.some((prefix) => name.startsWith(`${prefix}.`)));

/** Open to anyone. Whoever adds one here has thought about limits and about what it tells strangers. */
const PUBLIC = [
  'auth.me',
  'auth.signIn',
  'auth.signOut',
  'auth.signUp',
  'invites.landing',
  'operations.banner',
  'shares.open',
];

it('says for every procedure who may call it', () => {
  expect(procedures.length).toBeGreaterThan(15);
  for (const { name, meta } of procedures) expect(meta?.audience, name).toBeDefined();
});

it('keeps maintenance for the daemon, and the daemon out of everything else', () => {
  const maintenance = below('maintenance');
  expect(maintenance.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'maintenance.heartbeat',
      'maintenance.generationTasks.run',
      'maintenance.billingRefunds.run',
    ]),
  );
  const served = procedures.filter(({ meta }) => meta?.audience === 'maintenance');
  expect(served.map(({ name }) => name).sort()).toEqual(maintenance.map(({ name }) => name).sort());
  for (const { name, type } of maintenance) expect(type, name).toBe('mutation');
});

it("keeps the administrator's procedures for administrators", () => {
  const admin = below('adminTasks', 'adminUsers', 'channels', 'models', 'workers', 'customProtocol');
  expect(admin.length).toBeGreaterThan(5);
  for (const { name, meta } of admin) expect(meta?.audience, name).toBe('admin');
});

it('has no public procedure but those of signing in and out, the pages of an invite and of a share link, and what the site tells everybody', () => {
  const open = procedures.filter(({ meta }) => meta?.audience === 'public');
  expect(open.map(({ name }) => name).sort()).toEqual(PUBLIC);
});

it('gives API tokens what reads, submits and cancels generations, and nothing of accounts or administration', () => {
  const scoped = procedures.filter(({ meta }) => meta?.scope);
  for (const { name, meta } of scoped) {
    expect(meta?.audience, name).toBe('user');
    expect(name).toMatch(
      /^(generation|composites|agents|dramas|billing|notifications|orders|webhookEndpoints|library|shares|prompts)\./,
    );
  }
  for (const { name, meta } of below('generation')) expect(meta?.scope, name).toBeDefined();
});
