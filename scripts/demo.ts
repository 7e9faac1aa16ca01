import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openDb } from '#server/db/client.ts';
import { newId } from '#server/lib/ids.ts';
import { createClient } from '#server/trpc/client.ts';
import { buyPack } from './demo/buy-pack.ts';
import { checkDemo, type DemoReport } from './demo/check-demo.ts';
import { type CompositeIds, orderComposites } from './demo/order-composites.ts';
import { readProgress } from './demo/queries.ts';
import { createProgressView, printTable } from './demo/view.ts';
import { startEmbeddedPostgres } from './lib/embedded-postgres.ts';
import { ensureBuilt } from './lib/ensure-built.ts';
import { type LocalStack, startLocalStack } from './lib/local-stack.ts';
import { createScratchDatabase } from './lib/scratch-database.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GIVE_UP_MS = 10 * 60_000;
const EMAIL = 'demo@example.com';

/** Over four wire formats; the picture's end is told by a signed webhook, the music is two clips. */
const ORDERS = [
  {
    kind: 'image',
    model: 'sandbox-replicate-image',
    prompt: 'A lighthouse above a calm sea at dusk',
    params: { ratio: '16:9' },
  },
  {
    kind: 'video',
    model: 'sandbox-newapi-video',
    prompt: 'Clouds drifting over a valley',
    params: { seconds: '4' },
  },
  {
    kind: 'audio',
    model: 'sandbox-newapi-music',
    prompt: 'A slow waltz for a night train',
    params: {},
  },
  { kind: 'text', model: 'sandbox-text', prompt: 'Three short paragraphs about tides', params: {} },
  {
    kind: 'video',
    model: 'sandbox-fal-video',
    prompt: 'A storm upstream gives up on [[fail]]',
    params: { seconds: '5' },
  },
] as const;
/** Rewards come with the invited person's first paid order, at once, so that they can be seen. */
const INVITES = {
  INVITE_INVITER_CREDITS: '50',
  INVITE_INVITEE_CREDITS: '30',
  INVITE_COOLING_OFF_DAYS: '0',
};
/** One picture, one video, two clips of music, one text. */
const FILES = 5;

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });

/** Undoes what was started, last first. */
const undo: (() => Promise<unknown> | unknown)[] = [];
let stopping: Promise<void> | undefined;
const stopAll = () => {
  stopping ??= (async () => {
    for (const step of undo.reverse()) await step();
  })();
  return stopping;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    say('\nStopping …');
    void stopAll().then(() => process.exit(signal === 'SIGINT' ? 0 : 143));
  });
}

try {
  const report = await run();
  const good = isGood(report);
  if (values.once) {
    await stopAll();
    console.log(JSON.stringify(report));
    process.exit(good ? 0 : 1);
  }
  console.log(JSON.stringify(report));
  say('Running until Ctrl-C.');
} catch (error) {
  console.error(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  await stopAll();
  process.exit(1);
}

async function run(): Promise<DemoReport> {
  ensureBuilt(ROOT, say);
  const home = path.join(ROOT, '.data', 'demo', String(process.pid));
  say('Starting PostgreSQL, the sandbox upstream and the web process …');
  const server = await startEmbeddedPostgres({ name: 'demo', dataRoot: path.join(ROOT, '.data') });
  undo.push(() => server.stop());
  const database = await createScratchDatabase(server.url, 'demo');
  undo.push(() => database.drop());
  undo.push(() => rmSync(home, { recursive: true, force: true }));
  const stack = await startLocalStack({
    databaseUrl: database.url,
    storageDir: path.join(home, 'files'),
    logDir: path.join(home, 'logs'),
    mode: 'built',
    email: EMAIL,
    webEnv: INVITES,
  });
  undo.push(() => stack.stop());

  const { taskIds, composites } = await submitAndLeave(stack);
  say('Submitted 5 generations, an agent and a short drama; the client is closed and no page is open.');
  const daemon = await stack.startDaemon();
  say(
    `Generation worker started: ${daemon.ready[1]}. Only its knocks and upstream's webhooks go on from here.\n`,
  );
  const { db, close } = openDb({ url: database.url, max: 2, applicationName: 'sidelane-demo' });
  undo.push(close);
  await followToTheEnd(db, [...taskIds, ...Object.values(composites)]);
  const purchase = await buyPack(stack);
  const report = await checkDemo({
    db,
    stack,
    taskIds,
    composites,
    workerId: daemon.ready[1] ?? '',
    purchase,
  });
  printTable(await readProgress(db, [...taskIds, ...Object.values(composites)]));
  say(
    `\nUpstream saw at most ${report.maxCreatesPerTask} create per task, in the formats ${report.protocols.join(', ')}; signed webhooks told of ${report.webhooksVerified} ends.`,
  );
  say(
    `Bought ${purchase.credits} credits for ${purchase.price}, played: the vendor reported it three times at once, credited once: ${report.ordersPaid === 1 ? 'yes' : 'no'}.`,
  );
  const film =
    report.dramaSeconds > 0
      ? `the film of three shots lasts ${report.dramaSeconds} s`
      : 'there is no film, its page says why and has what was made';
  say(
    `The agent had a picture and a sound made; ${film}: ${stack.webUrl}/workbench/dramas/${composites.drama}`,
  );
  say(`\nWorkbench: ${stack.webUrl}`);
  say(
    `Login:     ${stack.login.email}  ${stack.login.password}   (an administrator: see also ${stack.webUrl}/admin)`,
  );
  say(`Payments:  ${stack.sandboxUrl}/pay   (played by the sandbox; no money moves)`);
  return report;
}

/** What a user does: submits through the typed client, then goes away. */
async function submitAndLeave(stack: LocalStack): Promise<{ taskIds: string[]; composites: CompositeIds }> {
  const client = createClient({ url: stack.webUrl, token: stack.login.apiToken });
  const taskIds: string[] = [];
  for (const order of ORDERS) {
    const { taskId } = await client.generation.submit.mutate({ ...order, requestKey: newId() });
    taskIds.push(taskId);
  }
  return { taskIds, composites: await orderComposites(client) };
}

async function followToTheEnd(
  db: Parameters<typeof readProgress>[0],
  taskIds: readonly string[],
): Promise<void> {
  const view = createProgressView();
  const end = Date.now() + GIVE_UP_MS;
  for (;;) {
    const rows = await readProgress(db, taskIds);
    view.show(rows);
    if (rows.every((row) => row.settled)) break;
    if (Date.now() > end) throw new Error('The generations did not end in ten minutes.');
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  view.end();
}

function isGood(report: DemoReport): boolean {
  return (
    report.submitted === 5 &&
    report.succeeded === 4 &&
    report.failed === 1 &&
    report.refunded === 1 &&
    report.maxCreatesPerTask === 1 &&
    report.ledgerBalanced &&
    report.filesVerified === FILES &&
    report.protocols.length === 4 &&
    report.webhooksVerified >= 1 &&
    report.ordersPaid === 1 &&
    report.agent === 'succeeded' &&
    report.drama === 'succeeded' &&
    report.dramaSeconds > 0
  );
}

function say(line: string): void {
  console.log(line);
}
