import type { CodedText } from './schemas.ts';
import type { FailureCode } from './status.ts';

const SENTENCES: Readonly<Record<FailureCode, string>> = {
  rejected: 'The provider refused this request.',
  moderated: 'The provider’s content rules stopped this request.',
  upstream_failed: 'The provider could not finish this generation.',
  no_artifact: 'The provider reported success but delivered no file.',
  artifact_expired: 'The provider’s file was gone before it could be fetched.',
  artifact_invalid: 'The provider delivered something that is not a usable file of this kind.',
  storage: 'The file could not be stored on our side in time.',
  cannot_run: 'The request never reached the provider.',
  gave_up: 'The provider took no new work for too long.',
  unknown_outcome: 'We could not find out what became of this request at the provider.',
  resolved_by_operator: 'An administrator confirmed that the provider did not finish this generation.',
  budget_spent: 'The budget was used up before anything could be delivered.',
  step_failed: 'A step that everything else needs could not be finished.',
  steps_used_up: 'The most steps allowed were used up before anything was delivered.',
  no_composer: 'This server has no program that puts a film together. All shots are kept.',
  composition_failed: 'The film could not be put together. All shots are kept.',
};

/** The sentence a user reads; the refund is told separately, from the ledger. */
export function failureSentence(code: FailureCode, upstreamReason?: string): string {
  const reason = upstreamReason?.trim();
  return reason ? `${SENTENCES[code]} It said: ${reason}` : SENTENCES[code];
}

/** A message of {@link failureSentence} by code, with what upstream said; null for a text of its own. */
export function failureReason(code: string, message: string): CodedText | null {
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code as FailureCode] : null;
  if (sentence === null) return null;
  if (message === sentence) return { code, values: {} };
  const quoted = `${sentence} It said: `;
  if (!message.startsWith(quoted)) return null;
  return { code, values: {}, and: { code: 'it_said', values: { note: message.slice(quoted.length) } } };
}

/**
 * Upstream text fit for users: one line, no addresses, request ids or long tokens, at most 200 characters; empty when
 * nothing readable is left. The raw (redacted) text stays with the administrators.
 */
export function readableReason(text: string | undefined): string {
  if (!text) return '';
  const line = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\bhttps?:\/\/\S+/gi, '')
    .replace(/\(?\b(?:request|trace)[ _-]?id\b\s*[:=]?\s*[\w-]+\)?/gi, '')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '')
    .replace(/\b[\w-]{28,}\b/g, '')
    .replace(/\[redacted\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
