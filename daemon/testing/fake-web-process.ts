import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initTRPC, TRPCError } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import superjson from 'superjson';
import { z } from 'zod';

type Headers = Record<string, string | string[] | undefined>;
type Knock = {
  procedure: 'heartbeat' | 'generation' | 'refunds' | 'orders' | 'invites' | 'webhooks' | 'retention';
  input: Record<string, unknown>;
  headers: Headers;
};

/** What the fake answers; a test replaces what it is about. */
type FakeAnswers = {
  heartbeat: (signal: AbortSignal) => Promise<unknown>;
  generation: (input: { waitMs: number }, signal: AbortSignal) => Promise<Record<string, unknown>>;
  refunds: (signal: AbortSignal) => Promise<Record<string, unknown>>;
  retention: () => Promise<Record<string, unknown>>;
};

export type FakeWebProcess = {
  readonly port: number;
  readonly origin: string;
  readonly knocks: Knock[];
  readonly answers: FakeAnswers;
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
};

export const FAKE_TOKEN = 'fake-service-token-0123456789abcdef0123';

const NO_TASKS = {
  claimed: 0,
  advanced: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  uncertain: 0,
  lost: 0,
  inFlight: 0,
  nextDueAt: null,
  backlog: 0,
  waitedMs: 0,
};
const NO_ORDERS = { expired: 0, creditsExpired: 0, nextDueAt: null };
const NO_INVITES = {
  claimed: 0,
  qualified: 0,
  rewarded: 0,
  refused: 0,
  clawedBack: 0,
  retried: 0,
  nextDueAt: null,
};
const NO_DELIVERIES = { claimed: 0, delivered: 0, retried: 0, failed: 0, lost: 0, nextDueAt: null };
const NO_RETENTION = { counts: {}, failed: 0, hasMore: false, nextDueAt: null };
const NO_REFUNDS = { claimed: 0, settled: 0, retried: 0, manual: 0, nextDueAt: null };

type FakeOptions = {
  /** An older release: it knows no orders, invites, webhooks and retention. */
  isOlder?: boolean;
};

/** The maintenance door without anything behind it, over the real wire format. */
export async function startFakeWebProcess(options: FakeOptions = {}): Promise<FakeWebProcess> {
  const t = initTRPC.context<{ headers: Headers; signal: AbortSignal }>().create({ transformer: superjson });
  const knocks: Knock[] = [];
  const answers: FakeAnswers = {
    heartbeat: async () => ({ accepted: true, serverTime: new Date() }),
    generation: async ({ waitMs }, signal) => ({ ...NO_TASKS, waitedMs: await waitOr(waitMs, signal) }),
    refunds: async () => NO_REFUNDS,
    retention: async () => NO_RETENTION,
  };
  const guarded = t.procedure.use(({ ctx, next }) => {
    if (ctx.headers.authorization === `Bearer ${FAKE_TOKEN}`) return next();
    throw new TRPCError({ code: 'UNAUTHORIZED', message: 'A valid service token is needed.' });
  });
  const anything = guarded.input(z.looseObject({}));
  const further = {
    orders: t.router({
      expire: anything.mutation(({ ctx, input }) => {
        knocks.push({ procedure: 'orders', input, headers: ctx.headers });
        return NO_ORDERS;
      }),
    }),
    invites: t.router({
      settle: anything.mutation(({ ctx, input }) => {
        knocks.push({ procedure: 'invites', input, headers: ctx.headers });
        return NO_INVITES;
      }),
    }),
    webhooks: t.router({
      deliver: anything.mutation(({ ctx, input }) => {
        knocks.push({ procedure: 'webhooks', input, headers: ctx.headers });
        return NO_DELIVERIES;
      }),
    }),
    retention: t.router({
      run: anything.mutation(async ({ ctx, input }) => {
        knocks.push({ procedure: 'retention', input, headers: ctx.headers });
        return { ...NO_RETENTION, ...(await answers.retention()) };
      }),
    }),
  };
  const router = t.router({
    maintenance: t.router({
      ...(options.isOlder ? {} : further),
      heartbeat: anything.mutation(({ ctx, input }) => {
        knocks.push({ procedure: 'heartbeat', input, headers: ctx.headers });
        return answers.heartbeat(ctx.signal);
      }),
      generationTasks: t.router({
        run: anything.mutation(async ({ ctx, input }) => {
          knocks.push({ procedure: 'generation', input, headers: ctx.headers });
          return { ...NO_TASKS, ...(await answers.generation({ waitMs: Number(input.waitMs) }, ctx.signal)) };
        }),
      }),
      billingRefunds: t.router({
        run: anything.mutation(async ({ ctx, input }) => {
          knocks.push({ procedure: 'refunds', input, headers: ctx.headers });
          return { ...NO_REFUNDS, ...(await answers.refunds(ctx.signal)) };
        }),
      }),
    }),
  });
  const handler = createHTTPHandler({
    router,
    createContext: ({ req, res }) => {
      const gone = new AbortController();
      res.once('close', () => gone.abort());
      return { headers: req.headers, signal: gone.signal };
    },
  });

  let server: Server;
  let boundPort = 0;
  const start = async () => {
    server = createServer((req, res) => {
      req.url = req.url?.replace(/^\/api\/trpc/, '');
      handler(req, res);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(boundPort, '127.0.0.1', resolve);
    });
    boundPort = (server.address() as AddressInfo).port;
  };
  await start();
  return {
    get port() {
      return boundPort;
    },
    get origin() {
      return `http://127.0.0.1:${boundPort}`;
    },
    knocks,
    answers,
    start,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function waitOr(ms: number, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve(ms);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
