import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP relay in front of a database, so that a test can cut it off and bring it back. */
type CuttableProxy = {
  /** The given connection string, through the relay. */
  url: string;
  /** Drops every connection and refuses new ones. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
};

export async function startCuttableProxy(databaseUrl: string): Promise<CuttableProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let server: Server | undefined;

  const relay = (near: Socket) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far).pipe(near);
  };
  const open = (port: number) =>
    new Promise<number>((resolve, reject) => {
      const next = createServer(relay).once('error', reject);
      next.listen(port, '127.0.0.1', () => resolve((next.address() as AddressInfo).port));
      server = next;
    });
  const cut = async () => {
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  };

  const port = await open(0);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    cut,
    restore: async () => {
      await open(port);
    },
    close: cut,
  };
}
