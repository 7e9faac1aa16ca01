import { asArray, asRecord, asText, type JsonRecord } from '../json.ts';
import type { CallContext, LookupOutcome, LookupQuery } from '../provider.ts';
import { isHostOf } from '../request-parts.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { webhookRefOf } from '../webhook-ref.ts';
import { apiUrl } from './client.ts';
import { pollRefOf } from './mapping.ts';

/** How far the two clocks may be apart. */
const SKEW_MS = 10 * 60_000;
/** A hundred predictions each; an account that makes more in the window is not read to its end. */
const MAX_PAGES = 20;
const PAGE_BYTES = 64_000_000;

/**
 * Looks for our prediction among those that the account has made since just before the create was sent, newest first.
 * Found is the one whose webhook carries our reference. Absent needs all of the window, and in it no prediction that
 * could be ours: each carries another reference, or was certainly asked for something else. A list without any
 * prediction is believed of Replicate only.
 */
export async function lookupPrediction(query: LookupQuery, ctx: CallContext): Promise<LookupOutcome> {
  const since = query.sentAt.getTime() - SKEW_MS;
  let url: string | undefined = apiUrl(ctx.baseUrl, '/predictions');
  let search: Record<string, string> | undefined = { created_after: new Date(since).toISOString() };
  let isDoubtful = false;
  let isListing = isHostOf(ctx.baseUrl, 'api.replicate.com');
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ctx.request({ method: 'GET', url, query: search, maxBytes: PAGE_BYTES });
    if (answer.type === 'failure' || answer.status !== 200) return { type: 'cannot_tell' };
    const body = asRecord(await answer.json());
    if (!body || !Array.isArray(body.results)) return { type: 'cannot_tell' };

    isListing ||= body.results.length > 0;
    let isPast = false;
    for (const item of asArray(body.results)) {
      const prediction = asRecord(item) ?? {};
      const id = readUpstreamId(prediction.id);
      const ref = webhookRefOf(prediction.webhook);
      if (ref === query.clientRef && id !== undefined) {
        const pollRef = pollRefOf(id, query.endpoint, prediction, ctx.baseUrl);
        return { type: 'found', upstreamId: id, pollRef };
      }
      // Where the listing's filter is not known upstream, the order tells when the window ends.
      isPast ||= Date.parse(asText(prediction.created_at) ?? '') < since;
      isDoubtful ||= !isPast && mayBeOurs(prediction, ref, query);
    }
    if (isPast || body.next === null || body.next === undefined)
      return { type: isDoubtful || !isListing ? 'cannot_tell' : 'absent' };

    url = nextUrl(body.next, ctx.baseUrl);
    search = undefined;
    if (url === undefined) break;
  }
  return { type: 'cannot_tell' };
}

/** Only another reference, or an input that is there and lacks our prompt, proves that a prediction is not ours. */
function mayBeOurs(prediction: JsonRecord, ref: string | undefined, query: LookupQuery): boolean {
  if (ref !== undefined) return ref === query.clientRef;
  const input = asRecord(prediction.input);
  if (!input || prediction.data_removed === true || Object.keys(input).length === 0) return true;
  const prompt = plain(query.prompt);
  return Object.values(input).some((value) => typeof value === 'string' && plain(value) === prompt);
}

/** Text as it compares after a trip through other people's systems. */
function plain(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim();
}

/** The next page, with the channel's key only where it may be sent. */
function nextUrl(next: unknown, baseUrl: string): string | undefined {
  const text = asText(next);
  if (!text || !URL.canParse(text, baseUrl)) return undefined;
  const url = new URL(text, baseUrl);
  return url.origin === new URL(baseUrl).origin ? url.href : undefined;
}
