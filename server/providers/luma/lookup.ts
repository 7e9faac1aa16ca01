import { asRecord } from '../json.ts';
import type { CallContext, LookupOutcome, LookupQuery } from '../provider.ts';
import { isHostOf } from '../request-parts.ts';
import { readUpstreamId } from '../upstream-id.ts';
import { webhookRefOf } from '../webhook-ref.ts';
import { apiUrl } from './client.ts';
import { generation, generationList } from './schemas.ts';

const PAGE = 100;
const MAX_PAGES = 20;
/** Our clock and Luma's may differ by this much. */
const SKEW_MS = 5 * 60_000;
const MAX_BYTES = 16_000_000;

/**
 * Looks through the account's generations for one whose callback address carries our reference. The order of the list
 * is not documented, so absence is only certain when all of it was read and every generation since the create names
 * somebody else's callback. A list without any generation is believed of Luma only.
 */
export async function lookupGeneration(query: LookupQuery, ctx: CallContext): Promise<LookupOutcome> {
  const since = query.sentAt.getTime() - SKEW_MS;
  let isCertain = true;
  let isListing = isHostOf(ctx.baseUrl, 'api.lumalabs.ai');
  let offset = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const list = await readPage(ctx, offset);
    if (!list) return { type: 'cannot_tell' };
    // By what came and not by what was asked for, because upstream may give shorter pages.
    offset += list.items.length;
    isListing ||= list.items.length > 0;
    for (const item of list.items) {
      const { id } = item;
      if (item.clientRef === query.clientRef) {
        if (id === undefined) return { type: 'cannot_tell' };
        return { type: 'found', upstreamId: id, pollRef: { id, endpoint: query.endpoint } };
      }
      const isOlder = item.createdAt !== undefined && item.createdAt < since;
      isCertain &&= isOlder || item.clientRef !== undefined;
    }
    if (list.isLast) return { type: isCertain && isListing ? 'absent' : 'cannot_tell' };
  }
  return { type: 'cannot_tell' };
}

type Item = { id: string | undefined; clientRef: string | undefined; createdAt: number | undefined };

async function readPage(
  ctx: CallContext,
  offset: number,
): Promise<{ items: Item[]; isLast: boolean } | undefined> {
  const answer = await ctx.request({
    method: 'GET',
    url: apiUrl(ctx.baseUrl, '/generations'),
    query: { limit: String(PAGE), offset: String(offset) },
    maxBytes: MAX_BYTES,
  });
  if (answer.type === 'failure' || answer.status !== 200) return undefined;
  const list = generationList.safeParse(asRecord(await answer.json())).data;
  if (!list) return undefined;
  // Without `has_more` only an empty page is surely the last one.
  return {
    items: list.generations.map(readItem),
    isLast: list.has_more === false || list.generations.length === 0,
  };
}

function readItem(value: unknown): Item {
  const found = generation.safeParse(value).data;
  const createdAt = Date.parse(found?.created_at ?? '');
  return {
    id: readUpstreamId(found?.id),
    clientRef: webhookRefOf(found?.request?.callback_url),
    createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
  };
}
