import type { ArtefactRef, CreateOutcome, LookupOutcome, PollOutcome, Usage } from './provider.ts';
import type { Sanitizer } from './sanitize.ts';
import { readUpstreamId } from './upstream-id.ts';

/** The last gate of a create: cleaned texts, bounded raw bodies, and no id that is not one. */
export function sanitizeCreate(outcome: CreateOutcome, clean: Sanitizer): CreateOutcome {
  switch (outcome.type) {
    case 'accepted': {
      const raw = rawOf(outcome.raw, clean);
      const upstreamId = readUpstreamId(outcome.upstreamId);
      if (upstreamId === undefined) return { type: 'uncertain', evidence: { reason: 'no_id', raw } };
      return { ...outcome, upstreamId, raw };
    }
    case 'done':
      return {
        ...outcome,
        artefacts: outcome.artefacts.map((artefact) => cleanArtefact(artefact, clean)),
        usage: cleanUsage(outcome.usage),
        raw: rawOf(outcome.raw, clean),
      };
    case 'rejected':
      return {
        ...outcome,
        code: cleanCode(outcome.code, clean),
        message: clean.message(outcome.message),
        raw: rawOf(outcome.raw, clean),
      };
    case 'uncertain':
      return { type: 'uncertain', evidence: clean.raw(outcome.evidence) as Record<string, unknown> };
    case 'rate_limited':
    case 'not_sent':
      return { ...outcome, message: clean.message(outcome.message) };
  }
}

export function sanitizePoll(outcome: PollOutcome, clean: Sanitizer): PollOutcome {
  switch (outcome.type) {
    case 'pending':
      return { ...outcome, status: clean.message(outcome.status).slice(0, 100) };
    case 'succeeded':
      return {
        ...outcome,
        status: clean.message(outcome.status).slice(0, 100),
        artefacts: outcome.artefacts.map((artefact) => cleanArtefact(artefact, clean)),
        usage: cleanUsage(outcome.usage),
        raw: rawOf(outcome.raw, clean),
      };
    case 'failed':
      return {
        ...outcome,
        code: cleanCode(outcome.code, clean),
        reason: clean.message(outcome.reason),
        usage: cleanUsage(outcome.usage),
        status: clean.message(outcome.status).slice(0, 100),
        raw: rawOf(outcome.raw, clean),
      };
    case 'cancelled':
      return {
        ...outcome,
        usage: cleanUsage(outcome.usage),
        status: clean.message(outcome.status).slice(0, 100),
        raw: rawOf(outcome.raw, clean),
      };
    case 'transient':
    case 'missing':
      return { ...outcome, message: clean.message(outcome.message) };
  }
}

export function sanitizeLookup(outcome: LookupOutcome): LookupOutcome {
  if (outcome.type !== 'found') return outcome;
  return readUpstreamId(outcome.upstreamId) === undefined ? { type: 'cannot_tell' } : outcome;
}

function rawOf(raw: unknown, clean: Sanitizer): unknown {
  return raw === undefined ? undefined : clean.raw(raw);
}

/** URLs stay as they are: a signature in one is what makes it work. */
function cleanArtefact(artefact: ArtefactRef, clean: Sanitizer): ArtefactRef {
  return artefact.type === 'text' ? { type: 'text', text: clean.text(artefact.text) } : artefact;
}

function cleanCode(code: string, clean: Sanitizer): string {
  return clean.message(code).slice(0, 120) || 'unknown';
}

/** Counters fit an integer column: whole, not negative, below 2^31. */
function cleanUsage(usage: Usage | undefined): Usage | undefined {
  if (!usage) return undefined;
  const whole = (value: number | undefined) =>
    value !== undefined && Number.isFinite(value) && value >= 0 && value < 2 ** 31
      ? Math.round(value)
      : undefined;
  // A part of a credit is an amount too.
  const amount = (value: number | undefined) =>
    value !== undefined && Number.isFinite(value) && value >= 0 && value < 2 ** 31 ? value : undefined;
  return {
    units: whole(usage.units),
    inputTokens: whole(usage.inputTokens),
    outputTokens: whole(usage.outputTokens),
    vendorCredits: amount(usage.vendorCredits),
  };
}
