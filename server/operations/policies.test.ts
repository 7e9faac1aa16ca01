import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '#server/deps.ts';
import { describeEnv, readEnv } from '#server/env.ts';
import { applyPolicies, boundsOf, POLICIES } from './policies.ts';
import { APP_VERSION, POLICY_KEYS } from './schemas.ts';

const CONFIG = {
  userInFlight: 20,
  signUpOpen: true,
  invites: { inviterCredits: 1, inviteeCredits: 2, coolingOffMs: 3, monthlyCap: 4 },
  composites: {
    agentsPerUser: 1,
    dramasPerUser: 2,
    childrenAtOnce: { image: 4, video: 3, audio: 4, text: 1 },
  },
  retention: { eventDays: 1, requestKeyDays: 2, workerDays: 3, uploadHours: 4 },
} as Config;
const BASE = { DATABASE_URL: 'postgres://127.0.0.1/lane', ENCRYPTION_KEY: 'ab'.repeat(32) };

function accepts(key: string, value: number): boolean {
  try {
    readEnv({ ...BASE, [key]: String(value) });
    return true;
  } catch {
    return false;
  }
}

describe('a policy', () => {
  it.each(POLICY_KEYS)('%s has the bounds of the environment, and is written where it is read', (key) => {
    const { bounds, type, read, write } = POLICIES[key];
    if (!bounds) {
      for (const value of [true, false]) expect(read(write(CONFIG, value as never))).toBe(value);
      return;
    }
    const step = type === 'whole' ? 1 : bounds.min / 2 || 0.001;
    expect([accepts(key, bounds.min), accepts(key, bounds.max)]).toEqual([true, true]);
    expect([accepts(key, bounds.min - step), accepts(key, bounds.max + step)]).toEqual([false, false]);
    for (const value of [bounds.min, bounds.max]) expect(read(write(CONFIG, value as never))).toBe(value);
  });

  it('leaves everything else as it is', () => {
    const changed = applyPolicies(CONFIG, new Map([['COMPOSITE_VIDEOS', 7]]));
    expect(changed).toEqual({
      ...CONFIG,
      composites: {
        ...CONFIG.composites,
        childrenAtOnce: { ...CONFIG.composites.childrenAtOnce, video: 7 },
      },
    });
    expect(CONFIG.composites.childrenAtOnce.video).toBe(3);
  });

  it('of the order’s life is narrower with Stripe, as the environment’s is', () => {
    expect(boundsOf('ORDER_EXPIRY_MINUTES', { name: 'stripe' })).toEqual({ min: 1, max: 1_400 });
    expect(boundsOf('ORDER_EXPIRY_MINUTES', undefined)).toEqual({ min: 1, max: 1_440 });
  });
});

describe('the environment as administrators see it', () => {
  it('names every variable of the example once, and shows no secret', () => {
    const secrets = {
      DATABASE_URL: 'postgres://lane:hidden-1@db.example/lane',
      ENCRYPTION_KEY: '1:hidden-2',
      MAINTENANCE_TOKEN: 'hidden-3',
      MAINTENANCE_TOKEN_PREVIOUS: 'hidden-4',
      STORAGE_S3_ACCESS_KEY_ID: 'hidden-5',
      STORAGE_S3_SECRET_ACCESS_KEY: 'hidden-6',
      STRIPE_SECRET_KEY: 'hidden-7',
      STRIPE_WEBHOOK_SECRET: 'hidden-8',
      SANDBOX_PAYMENT_SECRET: 'hidden-9',
      STORAGE_S3_ENDPOINT: 'https://user:hidden-10@s3.example/',
    };
    const facts = describeEnv({ ...secrets, PORT: '8080', LOG_LEVEL: ' ' });
    expect(JSON.stringify(facts)).not.toContain('hidden');
    const of = (name: string) => facts.find((fact) => fact.name === name);
    expect(of('DATABASE_URL')).toEqual({
      name: 'DATABASE_URL',
      from: 'environment',
      value: null,
      secret: true,
    });
    expect(of('STORAGE_S3_ENDPOINT')?.value).toBe('https://s3.example/');
    expect(of('PORT')).toMatchObject({ from: 'environment', value: '8080' });
    expect(of('LOG_LEVEL')).toMatchObject({ from: 'default', value: 'info' });
    expect(of('RETENTION_REQUEST_KEY_DAYS')).toMatchObject({ value: '30', secret: false });
    expect(of('MAINTENANCE_TOKEN')).toMatchObject({ from: 'environment' });
    expect(of('PUBLIC_ORIGIN')).toMatchObject({ from: 'default', value: null, secret: false });
  });

  it('has the version of the package', () => {
    const manifest = JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')) as { version: string };
    expect(APP_VERSION).toBe(manifest.version);
  });
});
