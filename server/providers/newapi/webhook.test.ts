import { describe, expect, it } from 'vitest';
import { createMockUpstream } from '#server/testing/msw/upstream.ts';

const upstream = createMockUpstream({ protocol: 'newapi', baseUrl: 'https://gateway.example/v1' });

const read = (text: string) => upstream.readWebhook({ rawBody: Buffer.from(text) });

describe('B64: deliveries of a gateway are unsigned', () => {
  it.each<[string, unknown, object]>([
    [
      'a Midjourney task, with our state',
      {
        id: '1712',
        action: 'IMAGINE',
        status: 'SUCCESS',
        state: 'dispatch-1',
        imageUrl: 'http://10.0.0.1/x',
      },
      { upstreamId: '1712', clientRef: 'dispatch-1', status: 'SUCCESS' },
    ],
    [
      'a Suno task',
      { code: 'success', data: { id: 9, task_id: 'song_1', status: 'IN_PROGRESS', data: [] } },
      { upstreamId: 'song_1', status: 'IN_PROGRESS' },
    ],
    [
      'a Suno callback',
      { code: 200, data: { callbackType: 'first', taskId: 'song_1', data: [] } },
      { upstreamId: 'song_1', status: 'first' },
    ],
    ['a task that says no id', { status: 'SUCCESS' }, { upstreamId: undefined }],
  ])('%s is a hint and no verdict', async (_name, body, expected) => {
    const reading = await read(JSON.stringify(body));
    expect(reading).toMatchObject({ type: 'hint', verified: false, ...expected });
    expect(JSON.stringify(reading)).not.toContain('10.0.0.1');
  });

  it.each([{ id: 17, status: 'SUCCESS' }, { data: { id: 17 } }, { data: 'a sentence' }])(
    'takes no job id from %j: it would become the id of the job that the address names',
    async (body) => {
      expect(await read(JSON.stringify(body))).toMatchObject({ type: 'hint', upstreamId: undefined });
    },
  );

  it('B12: keeps a huge id digit for digit', async () => {
    expect(await read('{"id":9007199254740993}')).toMatchObject({ upstreamId: '9007199254740993' });
  });

  it.each(['', 'null', '[]', '{"id":', '<html></html>'])('refuses %j', async (text) => {
    expect((await read(text)).type).toBe('refused');
  });
});
