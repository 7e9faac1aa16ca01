import { describe, expect, it } from 'vitest';
import { type Answer, createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'luma', baseUrl: 'https://luma.example/dream-machine/v1' });

const SENT_AT = new Date('2026-11-29T10:00:00Z');
const hook = (ref: string) => `https://lane.example/webhooks/c1?ref=${ref}&sig=x`;

function item(id: string, minutes: number, callback_url?: string | null) {
  const created_at = new Date(SENT_AT.getTime() + minutes * 60_000).toISOString();
  return { id, state: 'dreaming', created_at, request: { prompt: 'a cat', callback_url } };
}

const list = (generations: unknown[], has_more?: boolean): Answer => ({ json: { generations, has_more } });

async function lookup(...pages: Answer[]) {
  upstream.reply('get', '/generations', ...pages);
  return upstream.lookup({ endpoint: 'video', sentAt: SENT_AT });
}

const offsets = () => upstream.seen.map((request) => request.query.get('offset'));

describe('B02: a look-up of a create that was not answered', () => {
  it('finds the generation whose callback carries our reference', async () => {
    const found = await lookup(list([item('a', 0, hook('other')), item('b', 0, hook('dispatch-1'))], false));
    expect(found).toEqual({ type: 'found', upstreamId: 'b', pollRef: { id: 'b', endpoint: 'video' } });
    expect(offsets()).toEqual(['0']);
    expect(upstream.creates()).toEqual([]);
  });

  it('reads page after page, however short they are', async () => {
    const found = await lookup(
      list([item('a', 9), item('c', 8)], true),
      list([item('b', 0, hook('dispatch-1'))], true),
    );
    expect(found).toMatchObject({ type: 'found', upstreamId: 'b' });
    expect(offsets()).toEqual(['0', '2']);
  });

  it.each<[string, Answer[]]>([
    ['all of it is older', [list([item('a', -6), item('b', -600)], false)]],
    ['all that is newer names another create', [list([item('a', 1, hook('other')), item('b', -60)], false)]],
    ['the last page is empty and says no more', [list([item('b', -60)]), list([])]],
  ])('says absent when %s', async (_name, pages) => {
    expect(await lookup(...pages)).toEqual({ type: 'absent' });
  });

  it.each<[string, Answer[]]>([
    ['a generation since then has no callback', [list([item('a', 0, null)], false)]],
    ['it may be ours by another clock', [list([item('a', -4)], false)]],
    ['a callback carries no reference', [list([item('a', 0, 'https://lane.example/hook')], false)]],
    ['a callback is no address', [list([item('a', 0, 'x')], false)]],
    ['a generation has no date', [list([{ id: 'a', request: {} }], false)]],
    ['an item is nothing', [list([null], false)]],
    ['a doubtful one came on an earlier page', [list([item('a', 0)], true), list([item('b', -60)], false)]],
    ['a gateway that is not Luma lists nothing at all', [list([], false)]],
    ['the list never ends', [list([item('a', -60)], true)]],
    ['the second page fails', [list([item('a', -60)], true), { status: 503, text: '' }]],
    ['the key is refused', [{ status: 401, json: { detail: 'x' } }]],
    ['the connection breaks', [{ broken: true }]],
    ['it answers something else', [{ json: { data: [] } }]],
    ['our own has no id', [list([{ ...item('a', 0, hook('dispatch-1')), id: null }], false)]],
  ])('cannot tell when %s', async (_name, pages) => {
    const outcome = await lookup(...pages);
    expect(outcome).toEqual({ type: 'cannot_tell' });
  });
});
