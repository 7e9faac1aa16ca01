import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartupError } from '#server/lib/startup-error.ts';

/** Longer than the idle time of common balancers (60 s), so that the balancer is the one who closes. */
const KEEP_ALIVE_MS = 75_000;
/** How long answers that are under way may take when the server closes. */
const CLOSE_MS = 5_000;

type WebServer = {
  server: Server;
  /** Starts to accept requests; returns the port (which matters for port 0). @throws StartupError */
  listen(handler: RequestListener): Promise<number>;
  /** Accepts nothing more, ends event streams at once, lets other answers finish for a few seconds. */
  close(): Promise<void>;
};

export function createWebServer({ host, port }: { host: string; port: number }): WebServer {
  const server = createServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const open = new Set<ServerResponse>();
  server.on('request', (_req, res) => {
    open.add(res);
    res.once('close', () => open.delete(res));
  });

  return {
    server,
    listen(handler) {
      server.on('request', handler);
      return new Promise((resolve, reject) => {
        server.once('error', (error) => reject(describeListenError(error, host, port)));
        server.listen(port, host, () => {
          server.removeAllListeners('error');
          resolve((server.address() as AddressInfo).port);
        });
      });
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const res of open) if (isStream(res)) res.end();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      // A connection turns idle when its last answer ends; nobody but us would close it.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(cut);
      clearInterval(sweep);
    },
  };
}

function isStream(res: ServerResponse): boolean {
  return String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

function describeListenError(error: Error, host: string, port: number): StartupError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${port} on ${host} is in use. Stop what runs there, or set PORT to another port.`,
    );
  }
  if (code === 'EACCES') {
    return new StartupError(
      `Port ${port} needs more rights than this process has. Set PORT to 1024 or higher.`,
    );
  }
  return new StartupError(
    `Cannot listen on ${host}:${port} (${code ?? error.message}). Check HOST and PORT.`,
  );
}
