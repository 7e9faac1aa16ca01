import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestSandbox, type TestSandbox } from '../test-client.ts';
import { at, DRIVERS, speak } from './test-drivers.ts';

/** What the invented vendor's answers look like. */

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.control.reset());

const call = (method: string, path: string, body?: unknown) =>
  sandbox.call(method, `/studio${path}`, { body, headers: { 'x-studio-key': sandbox.apiKey } });
const bodyOf = async (answer: Promise<Response>) => (await answer).json() as Promise<unknown>;
const { made, newId } = speak(() => sandbox, DRIVERS.studio);

test('a render from its ticket to its files', async () => {
  const input = { text: 'a fox [[stuck:35]]', model: 'canvas-1', size: '96x64', count: 2 };
  const created = await call('POST', '/renders', { input, ref: 'my-reference' });
  expect(created.status).toBe(202);
  const ticket = await created.json();
  expect(ticket).toEqual({ ticket: { no: expect.stringMatching(/^R-[0-9a-f]{32}$/) } });
  const no = String(at(ticket, 'ticket.no'));
  expect(await bodyOf(call('GET', `/renders/${no}`))).toEqual({
    render: { no, ref: 'my-reference', phase: 'painting', percent: 35, files: [], problem: null },
  });
  await sandbox.control.release({ jobId: no });
  await made(no);
  const file = { href: expect.stringMatching(/^http.*\.png\?read=\d+$/), type: 'image/png' };
  expect(await bodyOf(call('GET', `/renders/${no}`))).toEqual({
    render: { no, ref: 'my-reference', phase: 'ready', percent: 100, files: [file, file], problem: null },
  });
});

test('a model with the name of one makes a film', async () => {
  const input = { text: 'a fox', model: 'video-1', size: '128x96', seconds: 1 };
  const no = String(at(await bodyOf(call('POST', '/renders', { input })), 'ticket.no'));
  await made(no);
  expect(at(await bodyOf(call('GET', `/renders/${no}`)), 'render.files')).toEqual([
    { href: expect.stringContaining('.mp4'), type: 'video/mp4' },
  ]);
});

test('problems: of a render, of a request, of a key', async () => {
  const no = await newId('a fox [[fail:paint_ran_out,No paint was left.]]');
  expect(await bodyOf(call('GET', `/renders/${no}`))).toMatchObject({
    render: { phase: 'broken', problem: { kind: 'paint_ran_out', text: 'No paint was left.' } },
  });
  const over = await call('DELETE', `/renders/${no}`);
  expect([over.status, at(await over.json(), 'render.phase')]).toEqual([409, 'broken']);
  const invalid = await call('POST', '/renders', { input: { text: 'x', size: 'huge' } });
  expect([invalid.status, await invalid.json()]).toMatchObject([400, { problem: { field: 'input.size' } }]);
  const ask = (headers: Record<string, string>) => bodyOf(fetch(`${sandbox.url}/studio/ping`, { headers }));
  expect(await ask({})).toEqual({
    problem: { kind: 'no_key', text: 'Send your key in the header X-Studio-Key.' },
  });
  expect(await ask({ authorization: `Bearer ${sandbox.apiKey}` })).toMatchObject({
    problem: { kind: 'no_key' },
  });
  expect(await ask({ 'x-studio-key': 'wrong' })).toMatchObject({ problem: { kind: 'bad_key' } });
});

test('the free check counts no create', async () => {
  expect(await bodyOf(call('GET', '/ping'))).toEqual({ pong: true });
  expect((await sandbox.control.creates()).total).toEqual({ received: 0, recorded: 0 });
  expect((await sandbox.control.requests({ call: 'check' })).map((entry) => entry.path)).toEqual([
    '/studio/ping',
  ]);
});
