import type { AdminModelView, CandidateView } from '#server/providers/channels/models/schemas.ts';
import type { ChannelView } from '#server/providers/channels/schemas.ts';

/** A healthy channel. */
export function makeChannel(overrides: Partial<ChannelView> = {}): ChannelView {
  return {
    id: '0190a0b0-0000-4000-8000-0000000000c1',
    name: 'Main',
    protocol: 'openai',
    baseUrl: 'https://api.example/v1',
    enabled: true,
    maxInFlight: 100,
    requestsPerMinute: null,
    pollPace: null,
    deadlineSeconds: null,
    resultWindowSeconds: null,
    settings: null,
    pausedUntil: null,
    coolDownUntil: null,
    consecutiveFailures: 0,
    lastErrorClass: null,
    lastErrorAt: null,
    key: { hint: 'abcd', since: new Date('2026-11-01T12:00:00Z') },
    retiredKeys: 0,
    hasWebhookSecret: false,
    webhookAddress: 'https://sidelane.example/webhooks/0190a0b0-0000-4000-8000-0000000000c1',
    models: 1,
    lastTest: null,
    createdAt: new Date('2026-11-01T12:00:00Z'),
    ...overrides,
  };
}

export function makeAdminModel(overrides: Partial<AdminModelView> = {}): AdminModelView {
  return {
    id: '0190a0b0-0000-4000-8000-0000000000d1',
    slug: 'clip',
    kind: 'video',
    title: 'Clip',
    description: '',
    channel: { id: makeChannel().id, name: 'Main', protocol: 'openai', enabled: true },
    candidates: [],
    upstreamModel: 'v1',
    endpoint: 'videos',
    parameters: {},
    price: { unit: 'call', credits: 5 },
    cost: null,
    maxPromptCharacters: 4_000,
    maxReferences: 2,
    referenceRoles: ['reference'],
    createTimeoutSeconds: 300,
    deadlineSeconds: 3_600,
    chargedWhenCancelled: false,
    enabled: true,
    sortOrder: 0,
    ...overrides,
  };
}

export function makeCandidate(number: number, overrides: Partial<CandidateView> = {}): CandidateView {
  return {
    id: `0190a0b0-0000-4000-8000-0000000000e${number}`,
    channel: { id: makeChannel().id, name: 'Main', protocol: 'openai', enabled: true },
    upstreamModel: `next-${number}`,
    endpoint: 'videos',
    priority: number,
    cost: null,
    ...overrides,
  };
}
