import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A relay in front of a database that hangs up at one statement: before the server gets it, or after the server has
 * done it and before the answer gets through. The second, at COMMIT, is a lost acknowledgement.
 */
export type CuttingProxy = {
  url: string;
  /** Hangs up at the statement of that number, counted from 1 over all connections from now on. */
  cutAt(statement: number, side: 'before' | 'after'): void;
  /** What the server was doing, or had done, at the cut (its command tag); undefined: no cut so far. */
  cut(): string | undefined;
  close(): Promise<void>;
};

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let plan = { statement: 0, side: 'before' as 'before' | 'after' };
  let seen = 0;
  let tag: string | undefined;

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    let started = false;
    let swallowing = false;
    const hangUp = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      // Small messages to and fro: else each waits for an acknowledgement that waits for it.
      socket.setNoDelay(true);
      socket.on('error', hangUp);
      socket.on('close', () => {
        sockets.delete(socket);
        hangUp();
      });
    }
    // Kept back until the statement is complete: the server acts on parts of it.
    let part: Buffer[] = [];
    const fromClient = readMessages((type, message) => {
      part.push(message);
      // Sync ends a statement of the extended protocol, Query is one of the simple protocol; Flush asks for an answer.
      const last = type === 'S' || type === 'Q';
      if (!last && 'BEDPC'.includes(type)) return;
      if (last) seen += 1;
      if (last && seen === plan.statement) {
        if (plan.side === 'before') {
          tag = 'not sent';
          return hangUp();
        }
        swallowing = true;
      }
      far.write(Buffer.concat(part));
      part = [];
    });
    const fromServer = readMessages((type, message) => {
      if (!swallowing) return void near.write(message);
      if (type === 'C') tag = message.subarray(5, -1).toString();
      if (type === 'Z') hangUp();
    });
    near.on('data', (chunk: Buffer) => {
      if (started) return fromClient(chunk);
      // The first message has no type; the driver waits for its answer before it sends more.
      started = true;
      far.write(chunk);
    });
    far.on('data', fromServer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAt(statement, side) {
      plan = { statement, side };
      seen = 0;
      tag = undefined;
    },
    cut: () => tag,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Splits a stream into messages: one byte of type, four of length (its own included), the rest. */
function readMessages(take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const size = 1 + rest.readUInt32BE(1);
      if (rest.length < size) return;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      take(String.fromCharCode(message[0] ?? 0), message);
    }
  };
}
