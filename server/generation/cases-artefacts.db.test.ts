import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '#server/storage/asset-store.ts';
import { createStubRig, type StubChannel, type StubRig, said, taken } from '#server/testing/stub-rig.ts';
import { type Reply, type StubUpstream, startStubUpstream } from '#server/testing/stub-upstream.ts';

/** Cases B58 to B63: the way of a result into our storage. */

const MOST_BYTES = 1_000_000;

let rig: StubRig;
/** Another host that may be asked, such as a vendor's file server. */
let files: StubUpstream;
/** A service of the inside, which nobody outside may reach through us. */
let inside: { port: number; asked: number; close(): Promise<void> };

beforeAll(async () => {
  files = await startStubUpstream();
  inside = await startInside();
  rig = await createStubRig({ config: { maxOutputBytes: MOST_BYTES }, allowHosts: [files.host] });
});
afterAll(async () => {
  await rig.close();
  await files.close();
  await inside.close();
});
const faithful = () => rig.deps.storeOutput;
let storeOutput: ReturnType<typeof faithful>;
beforeAll(() => {
  storeOutput = faithful();
});
afterEach(() => {
  rig.deps.storeOutput = storeOutput;
});

async function startInside() {
  const state = { port: 0, asked: 0, close: async () => {} };
  const server = createServer((_request, response) => {
    state.asked += 1;
    response.end('a secret of the inside');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  state.port = (server.address() as AddressInfo).port;
  state.close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return state;
}

/** An image whose success names this address; the stub serves these files. */
async function delivering(file: Reply[], url?: (stub: StubChannel) => string) {
  const before = await rig.balance();
  const stub = await rig.openChannel('replicateImage');
  stub.create = [taken()];
  stub.poll = [said('succeeded', { output: [url?.(stub) ?? stub.fileUrl()] })];
  stub.file = file;
  const taskId = await rig.submitTo(stub);
  return { stub, taskId, before };
}

async function failsWith(
  code: string | RegExp,
  { stub, taskId, before }: Awaited<ReturnType<typeof delivering>>,
) {
  const task = await rig.finish(taskId);
  expect(task).toMatchObject({ status: 'failed', outputs: [], money: { state: 'refunded' } });
  expect(task.failure?.code).toMatch(code);
  expect(await rig.balance()).toEqual(before);
  expect(stub.count('create')).toBe(1);
  return task;
}

describe('B58 an address that does not work (yet)', () => {
  it.each([403, 404, 410])('B58 %i: a fresh address of the next poll is taken', async (status) => {
    const stub = await rig.openChannel('replicateImage');
    stub.create = [taken()];
    stub.poll = [
      said('succeeded', { output: [stub.fileUrl('old')] }),
      said('succeeded', { output: [stub.fileUrl('fresh')] }),
    ];
    stub.file = [{ status }, rig.fileOf('image')];
    const task = await rig.finish(await rig.submitTo(stub));
    expect(task).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.seen.filter((one) => one.call === 'file').map((one) => one.target)).toEqual([
      '/files/old',
      '/files/fresh',
    ]);
    expect(stub.count('create')).toBe(1);
  });

  it('B58 404 for a while, then there: the object was not visible yet', async () => {
    const absent: Reply = { status: 404 };
    const { stub, taskId } = await delivering([absent, absent, absent, rig.fileOf('image')]);
    expect(await rig.finish(taskId)).toMatchObject({ status: 'succeeded', money: { state: 'charged' } });
    expect(stub.count('create')).toBe(1);
  });

  it.each([403, 404, 410])('B58 %i for good: failed after bounded tries, refunded', async (status) => {
    const given = await delivering([{ status }]);
    await failsWith('artifact_expired', given);
    expect(given.stub.count('file')).toBeLessThan(20);
  });
});

describe('B60 a type that is not what it says', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

  it.each<[string, Reply]>([
    ['JSON as a picture', { text: '{"error":"expired"}', headers: { 'content-type': 'image/png' } }],
    ['SVG with a script as a picture', { text: svg, headers: { 'content-type': 'image/png' } }],
    ['SVG as what it is', { text: svg, headers: { 'content-type': 'image/svg+xml' } }],
    ['HTML as a picture', { text: '<!doctype html><p>gone', headers: { 'content-type': 'image/png' } }],
    ['nothing', { bytes: new Uint8Array(), headers: { 'content-type': 'image/png' } }],
  ])('B60 %s is refused', async (_name, reply) => {
    await failsWith('artifact_invalid', await delivering([reply]));
  });

  it('B60 JSON as a video is refused', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('replicateVideo');
    stub.create = [taken()];
    stub.poll = [said('succeeded', { output: stub.fileUrl() })];
    stub.file = [{ text: '{"error":"expired"}', headers: { 'content-type': 'video/mp4' } }];
    await failsWith('artifact_invalid', { stub, taskId: await rig.submitTo(stub), before });
  });

  it('B60 another kind of media than ordered is refused', async () => {
    await failsWith('artifact_invalid', await delivering([rig.fileOf('video')]));
  });

  it('B60 a picture as a stream of bytes is taken, with the type that it has', async () => {
    const bytes = rig.media.image.bytes;
    const { taskId } = await delivering([{ bytes, headers: { 'content-type': 'application/octet-stream' } }]);
    expect(await rig.finish(taskId)).toMatchObject({
      status: 'succeeded',
      outputs: [{ mime: 'image/png', bytes: bytes.byteLength }],
    });
  });

  it('B60 speech that is an error in JSON with 200 is no sound', async () => {
    const before = await rig.balance();
    const stub = await rig.openChannel('openaiSpeech');
    stub.create = [{ json: { error: { message: 'The voice is not known.', code: 'invalid_voice' } } }];
    const task = await rig.finish(await rig.submitTo(stub));
    expect(task).toMatchObject({ status: 'failed', outputs: [], money: { state: 'refunded' } });
    expect(await rig.balance()).toEqual(before);
    expect(stub.count('create')).toBe(1);
  });
});

describe('B61 too much', () => {
  it('B61 a body above the cap is refused, with its length told and without', async () => {
    const bytes = Buffer.concat([rig.media.image.bytes, Buffer.alloc(MOST_BYTES)]);
    await failsWith('artifact_invalid', await delivering([{ bytes }]));
    const chunked = { 'transfer-encoding': 'chunked', 'content-type': 'image/png' };
    await failsWith('artifact_invalid', await delivering([{ bytes, headers: chunked }]));
  });

  it('B61 a picture in the answer is in storage and not in the database', async () => {
    const stub = await rig.openChannel('openaiImage');
    const b64_json = Buffer.from(rig.media.image.bytes).toString('base64');
    stub.create = [{ json: { created: 1, data: [{ b64_json }] } }];
    const taskId = await rig.submitTo(stub);
    expect(await rig.finish(taskId)).toMatchObject({
      status: 'succeeded',
      outputs: [{ bytes: rig.media.image.bytes.byteLength }],
    });
    const rows = await rig.t.sql`
      select (select json_agg(d) from generation_task_details d where d.task_id = ${taskId})::text as details,
        (select json_agg(d) from dispatches d where d.task_id = ${taskId})::text as dispatches,
        (select json_agg(e) from generation_task_events e where e.task_id = ${taskId})::text as events`;
    expect(JSON.stringify(rows)).not.toContain(b64_json.slice(0, 60));
    expect(JSON.stringify(rows).length).toBeLessThan(20_000);
  });
});

describe('B62 an address of the inside', () => {
  const addresses: [string, (port: number) => string][] = [
    ['a loopback address', (port) => `http://127.0.0.1:${port}/`],
    ['its name', (port) => `http://localhost:${port}/`],
    ['it in IPv6', (port) => `http://[::1]:${port}/`],
    ['it mapped into IPv6', (port) => `http://[::ffff:127.0.0.1]:${port}/`],
    ['it as a number', (port) => `http://2130706433:${port}/`],
    ['it in hexadecimal', (port) => `http://0x7f.0.0.1:${port}/`],
    ['it in short', (port) => `http://127.1:${port}/`],
    ['the unspecified address', (port) => `http://0.0.0.0:${port}/`],
    ['the metadata service', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a private network', () => 'http://10.0.0.1/'],
    ['a shared network', () => 'http://100.64.0.1/'],
  ];

  it.each(addresses)('B62 %s as a result is not asked', async (_name, url) => {
    const task = await failsWith(/^artifact_/, await delivering([], () => url(inside.port)));
    expect(inside.asked).toBe(0);
    expect(JSON.stringify(task)).not.toContain('secret of the inside');
  });

  it.each(addresses)('B62 %s behind a redirect is not asked', async (_name, url) => {
    const reply: Reply = { status: 302, headers: { location: url(inside.port) } };
    await failsWith(/^artifact_/, await delivering([reply]));
    expect(inside.asked).toBe(0);
  });

  it.each(['file:///etc/passwd', 'ftp://example.com/a.png', '//example.com/a.png', 'gopher://127.0.0.1/'])(
    'B62 %s is no address of a result',
    async (url) => {
      await failsWith(/artifact/, await delivering([], () => url));
    },
  );

  it('B62 the key of the account does not go to another host', async () => {
    const far = files.open();
    far.file = [rig.fileOf('video')];
    const stub = await rig.openChannel('openaiVideo');
    stub.create = [{ json: { id: 'v1', status: 'queued' } }];
    stub.poll = [{ json: { id: 'v1', status: 'completed' } }];
    stub.file = [{ status: 302, headers: { location: far.fileUrl() } }];
    expect(await rig.finish(await rig.submitTo(stub))).toMatchObject({ status: 'succeeded' });
    expect(stub.seen.find((one) => one.call === 'file')?.headers.authorization).toMatch(/^Bearer /);
    expect(far.seen).toHaveLength(1);
    expect(JSON.stringify(far.seen)).not.toMatch(/stub-?:|authorization|access-key/);
  });
});

describe('B63 a fault of our own storage', () => {
  it.each<[string, string]>([
    ['a full disk', 'ENOSPC: no space left on device'],
    ['a store that refuses', 'AccessDenied: 403'],
  ])('B63 %s: the archive step alone is tried again, however often', async (_name, message) => {
    const given = await delivering([rig.fileOf('image')]);
    rig.deps.storeOutput = async () => {
      throw new StorageError('io', message);
    };
    await rig.until(given.taskId, (view) => view.events.some((event) => event.type === 'archive_delayed'));
    await rig.knocks(given.taskId, 12);
    const polls = given.stub.count('poll');
    expect(await rig.view(given.taskId)).toMatchObject({ status: 'archiving', money: { state: 'held' } });
    expect(
      rig.logs.some((line) => line.level === 'error' && line.message.includes('check the storage')),
    ).toBe(true);
    rig.deps.storeOutput = storeOutput;
    expect(await rig.finish(given.taskId)).toMatchObject({
      status: 'succeeded',
      money: { state: 'charged' },
    });
    expect(given.stub.count('create')).toBe(1);
    expect(given.stub.count('poll')).toBe(polls);
  });
});

it('the books are right after all of it', async () => {
  expect(await rig.audit()).toEqual([]);
});
