import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWithCrashPoints } from '#scripts/build-server.ts';
import { DEFAULT_API_KEY } from '#scripts/sandbox/server.ts';
import { migrateDatabase } from '#server/db/migrate.ts';
import { newId } from '#server/lib/ids.ts';
import { type RunningProcess, startProcess } from './child-process.ts';
import { readLocalSecrets } from './local-secrets.ts';
import { type LocalLogin, seedLocal } from './seed-local.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSX = ['--import', 'tsx'];
const TSX_CLI = path.join(ROOT, 'node_modules/tsx/dist/cli.mjs');

export type LocalStack = {
  sandbox: RunningProcess;
  web: RunningProcess;
  login: LocalLogin;
  webUrl: string;
  sandboxUrl: string;
  startDaemon(env?: Record<string, string>): Promise<RunningProcess>;
  /** One more web process on the same database, on a port of its own. */
  startWeb(env?: Record<string, string>): Promise<{ process: RunningProcess; url: string }>;
  /** Starts the web process again on the same port, after it was ended. */
  restartWeb(env?: Record<string, string>): Promise<RunningProcess>;
  stop(): Promise<void>;
};

export type LocalStackOptions = {
  databaseUrl: string;
  storageDir: string;
  logDir: string;
  /**
   * `built`: dist/ and build/, as in production. `crashable`: built for this run, with crash points and without pages.
   * `watch`: from the sources, restarted when a file changes.
   */
  mode: 'built' | 'crashable' | 'watch';
  email: string;
  password?: string;
  webPort?: number;
  webEnv?: Record<string, string>;
  /** Divides the sandbox's delays. */
  sandboxSpeed?: number;
  onLine?: (name: string, line: string) => void;
};

/**
 * Migrates and seeds a database and starts sandbox, web and (on demand) daemon as processes of their own. Payments are
 * played by the sandbox.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const secrets = readLocalSecrets(path.join(ROOT, '.data'));
  // The sandbox forgets its payments at its end, so nothing outlives this secret.
  const paymentSecret = randomBytes(32).toString('hex');
  // Chosen before anything starts: the sandbox has to know where it reports payments.
  const port = options.webPort ?? (await freePort());
  await migrateDatabase({ url: options.databaseUrl });
  const started: RunningProcess[] = [];
  const launch = async (
    name: string,
    args: readonly string[],
    extra: { env: Record<string, string>; readyLine: RegExp },
  ) => {
    const running = await startProcess({
      name,
      command: process.execPath,
      args,
      logFile: path.join(options.logDir, `${name}.log`),
      onLine: (line) => options.onLine?.(name, line),
      ...extra,
    });
    started.push(running);
    return running;
  };
  const bundles =
    options.mode === 'built' ? path.join(ROOT, 'dist') : path.join(ROOT, '.data/crashable', newId());
  const entry = (built: string, source: string): string[] => {
    if (options.mode !== 'watch') return [path.join(bundles, built)];
    // Not `node --watch`: it would also watch the file that Vite writes and removes while it reads its configuration.
    return [TSX_CLI, 'watch', '--clear-screen=false', path.join(ROOT, source)];
  };
  const stop = async () => {
    await stopAll(started);
    if (options.mode === 'crashable') await rm(bundles, { recursive: true, force: true });
  };
  try {
    if (options.mode === 'crashable') await buildWithCrashPoints(bundles);
    const sandbox = await launch(
      'sandbox',
      [
        ...TSX,
        path.join(ROOT, 'scripts/sandbox/main.ts'),
        '--media-dir',
        path.join(ROOT, '.data/sandbox-media'),
        '--speed',
        String(options.sandboxSpeed ?? 1),
        '--payments-webhook',
        `http://127.0.0.1:${port}/payments/sandbox/webhook`,
        '--exit-with-parent',
      ],
      { env: { SANDBOX_PAYMENT_SECRET: paymentSecret }, readyLine: /Sandbox upstream: (http:\S+)/ },
    );
    const sandboxUrl = sandbox.ready[1] ?? '';
    const login = await seedLocal({
      databaseUrl: options.databaseUrl,
      encryptionKey: secrets.ENCRYPTION_KEY,
      sandboxUrl,
      sandboxKey: DEFAULT_API_KEY,
      storageDir: options.storageDir,
      email: options.email,
      password: options.password,
    });
    const launchWeb = (webPort: number, env: Record<string, string> = {}) =>
      launch('web', entry('web.js', 'server/main.ts'), {
        env: {
          NODE_ENV:
            options.mode === 'built' ? 'production' : options.mode === 'watch' ? 'development' : 'test',
          HOST: '127.0.0.1',
          PORT: String(webPort),
          PUBLIC_ORIGIN: `http://127.0.0.1:${webPort}`,
          DATABASE_URL: options.databaseUrl,
          STORAGE_DIR: options.storageDir,
          OUTBOUND_ALLOW_HOSTS: new URL(sandboxUrl).host,
          WEBHOOK_ALLOW_HOSTS: new URL(sandboxUrl).host,
          POLL_FIRST_MS: '500',
          POLL_CAP_MS: '2000',
          SIGN_UP_CREDITS: '100',
          PAYMENT_PROVIDER: 'sandbox',
          SANDBOX_PAYMENT_URL: sandboxUrl,
          SANDBOX_PAYMENT_SECRET: paymentSecret,
          DRAIN_SECONDS: '10',
          ...secrets,
          ...options.webEnv,
          ...env,
        },
        readyLine: /Web process started: http:\/\/[^:]+:(\d+)/,
      });
    const web = await launchWeb(port);
    const webUrl = `http://127.0.0.1:${port}`;
    return {
      sandbox,
      web,
      login,
      webUrl,
      sandboxUrl,
      startDaemon: (env = {}) =>
        launch('daemon', entry('daemon.js', 'daemon/main.ts'), {
          env: { SIDELANE_ORIGIN: webUrl, MAINTENANCE_TOKEN: secrets.MAINTENANCE_TOKEN, ...env },
          readyLine: /Generation worker started: ([^"\s]+)/,
        }),
      async startWeb(env) {
        const another = await freePort();
        return { process: await launchWeb(another, env), url: `http://127.0.0.1:${another}` };
      },
      restartWeb: (env) => launchWeb(port, env),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Daemon first, then web, then sandbox: in the reverse order of their start. */
async function stopAll(started: readonly RunningProcess[]): Promise<void> {
  for (const running of [...started].reverse()) await running.stop();
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
