import { describe, expect, it } from 'vitest';
import { EnvError, readEnv } from './env.ts';

/** Who takes payments, as the environment says it; whatever is half set up stops the start with one line each. */

const BASE = {
  DATABASE_URL: 'postgres://127.0.0.1/lane',
  ENCRYPTION_KEY: 'ab'.repeat(32),
  PUBLIC_ORIGIN: 'https://lane.example',
};
const STRIPE = {
  ...BASE,
  PAYMENT_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_51Secret',
  STRIPE_WEBHOOK_SECRET: 'whsec_Secret',
};
const SANDBOX = {
  ...BASE,
  PAYMENT_PROVIDER: 'sandbox',
  SANDBOX_PAYMENT_URL: 'http://127.0.0.1:4010',
  SANDBOX_PAYMENT_SECRET: 'a-shared-secret-of-at-least-32-characters',
};

/** The lines between the first and the last one. */
function problemsOf(source: Record<string, string | undefined>): string[] {
  try {
    readEnv(source);
    return [];
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return error.message
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim());
  }
}

describe('who takes payments', () => {
  it('nobody, unless it is said', () => {
    expect(readEnv(BASE).PAYMENT_PROVIDER).toBe('none');
    expect(readEnv({ ...STRIPE, PAYMENT_PROVIDER: '' }).PAYMENT_PROVIDER).toBe('none');
  });

  it.each([
    ['stripe', STRIPE],
    ['stripe with a restricted live key', { ...STRIPE, STRIPE_SECRET_KEY: 'rk_live_51Secret' }],
    ['stripe in production', { ...STRIPE, NODE_ENV: 'production' }],
    ['the sandbox', SANDBOX],
    ['the sandbox by name', { ...SANDBOX, SANDBOX_PAYMENT_URL: 'http://localhost:4010' }],
    ['the sandbox of a production build on this machine', { ...SANDBOX, NODE_ENV: 'production' }],
  ])('%s is accepted', (_name, source) => {
    expect(problemsOf(source)).toEqual([]);
  });

  it.each<[string, Record<string, string | undefined>, string[]]>([
    [
      'an unknown vendor',
      { ...BASE, PAYMENT_PROVIDER: 'paypal' },
      ['PAYMENT_PROVIDER must be none, stripe or sandbox'],
    ],
    [
      'stripe without keys',
      { ...BASE, PAYMENT_PROVIDER: 'stripe' },
      [
        'STRIPE_SECRET_KEY is not set (PAYMENT_PROVIDER=stripe needs it)',
        'STRIPE_WEBHOOK_SECRET is not set (PAYMENT_PROVIDER=stripe needs it)',
      ],
    ],
    [
      'a publishable key',
      { ...STRIPE, STRIPE_SECRET_KEY: 'pk_live_51Secret' },
      ['STRIPE_SECRET_KEY must be a secret key of Stripe (sk_… or rk_…)'],
    ],
    [
      'a signing secret of something else',
      { ...STRIPE, STRIPE_WEBHOOK_SECRET: 'sk_test_51Secret' },
      ['STRIPE_WEBHOOK_SECRET must be a signing secret of Stripe (whsec_…)'],
    ],
    [
      'orders that outlive a page of Stripe',
      { ...STRIPE, ORDER_EXPIRY_MINUTES: '1440' },
      ['ORDER_EXPIRY_MINUTES must be at most 1400 with PAYMENT_PROVIDER=stripe'],
    ],
    [
      'the sandbox without its secret',
      { ...SANDBOX, SANDBOX_PAYMENT_SECRET: undefined },
      ['SANDBOX_PAYMENT_URL and SANDBOX_PAYMENT_SECRET are not set (PAYMENT_PROVIDER=sandbox needs both)'],
    ],
    [
      'a short secret',
      { ...SANDBOX, SANDBOX_PAYMENT_SECRET: 'short' },
      ['SANDBOX_PAYMENT_SECRET must have at least 32 characters'],
    ],
    [
      'a sandbox on another machine',
      { ...SANDBOX, SANDBOX_PAYMENT_URL: 'http://sandbox.example:4010' },
      ['SANDBOX_PAYMENT_URL must be an address on this machine'],
    ],
    [
      'nowhere to send payers back to',
      { ...SANDBOX, PUBLIC_ORIGIN: undefined },
      ['PUBLIC_ORIGIN is not set (payers are sent back to it)'],
    ],
  ])('%s stops the start with a line that names the fix, never a value', (_name, source, lines) => {
    expect(problemsOf(source)).toEqual(lines);
    expect(lines.join('\n')).not.toMatch(/51Secret|whsec_S|a-shared/);
  });
});
