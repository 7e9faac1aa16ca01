import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '#server/testing/msw/memory-store.ts';
import { BUILT_IN_ADAPTERS } from './adapters.ts';
import { STUDIO } from './custom/testing/descriptions.ts';
import type { CreateOutcome } from './provider.ts';
import { createProviderRuntime } from './registry.ts';

/** One answer to a create, for every endpoint of every protocol: who takes it for a refusal gives work away. */

const MODELS: Readonly<Record<string, string>> = {
  replicate: 'lab/picture',
  fal: 'fal-ai/flux/dev',
  gemini: 'veo-3',
};
const ENDPOINTS = BUILT_IN_ADAPTERS.flatMap((adapter) =>
  Object.entries(adapter.endpoints).map(([endpoint, { kind }]) => ({
    protocol: adapter.protocol,
    endpoint,
    kind,
  })),
);

async function createAt(
  { protocol, endpoint, kind }: (typeof ENDPOINTS)[number],
  answer: { status: number; json: unknown },
): Promise<CreateOutcome> {
  const headers = { 'content-type': 'application/json' };
  const runtime = createProviderRuntime({
    storage: createMemoryStore(),
    logger: { debug() {}, info() {}, warn() {}, error() {} } as never,
    fetch: async () => new Response(JSON.stringify(answer.json), { status: answer.status, headers }),
  });
  const settings = protocol === 'custom' ? STUDIO : undefined;
  return runtime.create(
    { protocol, baseUrl: 'https://upstream.example', apiKey: 'sk-test-0123456789', settings },
    {
      kind,
      endpoint,
      model: MODELS[protocol] ?? 'a-model',
      prompt: 'a lighthouse',
      params: protocol === 'elevenlabs' ? { voice: 'Rachel123' } : {},
      references: [],
    },
    {
      dispatchId: '0190a0b0-0000-7000-8000-000000000000',
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    },
  );
}

async function outcomesOf(status: number, json: unknown): Promise<string[]> {
  const found = new Set<string>();
  for (const endpoint of ENDPOINTS) {
    const { type } = await createAt(endpoint, { status, json });
    found.add(type === 'uncertain' ? type : `${endpoint.protocol}/${endpoint.endpoint}: ${type}`);
  }
  return [...found];
}

describe('what proves nothing is uncertain, whatever the protocol', () => {
  const error = (said: object) => ({ error: said });
  it.each<[string, number, unknown]>([
    [
      'a fault in a 2xx',
      200,
      error({ message: 'Internal server error', type: 'server_error', code: 'internal_error' }),
    ],
    [
      'a fault in a 2xx without a code',
      200,
      error({ message: 'The server had an error', type: 'server_error', code: null }),
    ],
    ['a fault with a number', 200, { code: 500, message: 'internal error', data: null }],
    ['a fault by name of the gateway', 200, error({ message: 'x', type: 'upstream_error', code: '' })],
    ['an overload in the middle', 200, error({ message: 'Overloaded', type: 'overloaded_error' })],
    ['a service that is away', 200, error({ code: 503, status: 'UNAVAILABLE', message: 'overloaded' })],
    ['an unknown error', 200, error({ code: 'unknown_error', message: 'unknown' })],
    ['a time-out in words', 200, { success: false, message: 'context deadline exceeded' }],
    ['a time-out alone', 200, { error: 'timeout' }],
    [
      'a time-out behind a code that says nothing',
      200,
      { code: 'fail', message: 'upstream request timed out', data: null },
    ],
    ['a deadline behind a 4xx', 400, error({ code: 400, status: 'DEADLINE_EXCEEDED', message: 'deadline' })],
    ['a fault behind a 4xx', 400, error({ code: 'internal_server_error', message: 'Internal server error' })],
    ['a dependency that failed', 424, error({ code: 'failed_dependency', message: 'x' })],
    ['a conflict', 409, error({ code: 'conflict', message: 'x' })],
    ['a quota in a 502', 502, error({ code: 'insufficient_quota', message: 'x' })],
    ['a refusal that names a job', 400, { task_id: 'job-12345', error: { message: 'bad' } }],
    ['a rate limit that names a job', 429, { task_id: 'job-12345', error: { message: 'slow down' } }],
  ])('%s', async (_name, status, json) => {
    expect(await outcomesOf(status, json)).toEqual(['uncertain']);
  });

  it('and an explicit refusal stays one', async () => {
    const refused = await outcomesOf(400, error({ code: 'invalid_request_error', message: 'No such size' }));
    expect(refused.filter((said) => !said.endsWith(': rejected'))).toEqual([]);
    const limited = await outcomesOf(429, error({ code: 'x', message: 'slow down' }));
    expect(limited.filter((said) => !said.endsWith(': rate_limited'))).toEqual([]);
  });
});
