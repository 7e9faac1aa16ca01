import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireReply } from './conformance/wire-profile.ts';

/**
 * An upstream that answers exactly what a case says, over real HTTP: one list of replies for each kind of call, of
 * which the last one repeats. The words are the case's own; nothing is derived from an adapter.
 */

/** `reset`: the socket breaks. `hold`: no answer until the test gives one. */
export type Reply = WireReply | 'reset' | 'hold';
type Call = 'create' | 'poll' | 'cancel' | 'list' | 'file';

type Seen = {
  call: Call;
  method: string;
  /** Path and query below the stub's own address. */
  target: string;
  headers: IncomingMessage['headers'];
  body: string;
};

export type Stub = Record<Call, Reply[]> & {
  readonly url: string;
  readonly seen: Seen[];
  /** The address of a file of its own. */
  fileUrl(name?: string): string;
  count(call: Call): number;
  /** Ends every call that is held, with this reply. */
  answerHeld(reply: Reply): void;
};

export type StubUpstream = {
  /** As the outbound guard names it. */
  readonly host: string;
  open(): Stub;
  close(): Promise<void>;
};

export async function startStubUpstream(): Promise<StubUpstream> {
  const stubs = new Map<string, Stub & { held: ((reply: Reply) => void)[] }>();
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, key = '', ...rest] = (request.url ?? '/').split('/');
    const stub = stubs.get(key);
    if (!stub) {
      send(response, { status: 404 });
      return;
    }
    const target = `/${rest.join('/')}`;
    const method = request.method ?? 'GET';
    const call = callOf(method, target);
    const body = await textOf(request);
    stub.seen.push({ call, method, target, headers: request.headers, body });
    const replies = stub[call];
    const reply = replies[Math.min(stub.count(call), replies.length) - 1] ?? { status: 404 };
    const given = reply === 'hold' ? await new Promise<Reply>((resolve) => stub.held.push(resolve)) : reply;
    if (given === 'reset' || given === 'hold') response.socket?.destroy();
    else send(response, given);
  }

  return {
    host,
    open() {
      const key = `stub${stubs.size + 1}`;
      const url = `http://${host}/${key}`;
      const held: ((reply: Reply) => void)[] = [];
      const seen: Seen[] = [];
      const stub = {
        create: [],
        poll: [],
        cancel: [],
        list: [],
        file: [],
        url,
        seen,
        held,
        fileUrl: (name = 'made') => `${url}/files/${name}`,
        count: (call: Call) => seen.filter((one) => one.call === call).length,
        answerHeld(reply: Reply) {
          for (const answer of held.splice(0)) answer(reply);
        },
      };
      stubs.set(key, stub);
      return stub;
    },
    async close() {
      for (const stub of stubs.values()) stub.answerHeld('reset');
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Lists are asked for without an id; a job's content is one of its files. */
function callOf(method: string, target: string): Call {
  if (/^\/files\/|\/content$/.test(target)) return 'file';
  if (method === 'DELETE' || /\/cancel$/.test(target)) return 'cancel';
  if (method === 'POST') return 'create';
  return /\/predictions(\?|$)/.test(target) ? 'list' : 'poll';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, reply: WireReply): void {
  const isJson = reply.json !== undefined || /^\s*[{[]/.test(reply.text ?? '');
  const body = reply.bytes ?? reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
  response.writeHead(reply.status ?? 200, {
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...reply.headers,
  });
  response.end(body);
}
