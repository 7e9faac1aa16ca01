import { parseArgs } from 'node:util';
import { startSandbox } from './server.ts';

/**
 * A sandbox upstream as a process of its own. Prints one line, `Sandbox upstream: http://127.0.0.1:PORT`, and stays
 * until SIGTERM or SIGINT. `--exit-with-parent`: also ends when stdin closes. A closed IPC channel always ends it.
 */

const USAGE =
  'Usage: npm run sandbox -- [--port 4010] [--media-dir DIR] [--speed 1] [--api-key KEY] [--video-urls] [--shared-media] [--payments-webhook URL --payments-secret SECRET] [--exit-with-parent]';

function readNumber(
  name: string,
  text: string | undefined,
  range: { from: number; to: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= range.from && value <= range.to) return value;
  throw new Error(`--${name} must be a number from ${range.from} to ${range.to}.`);
}

/** The secret may come as SANDBOX_PAYMENT_SECRET too, where a list of processes does not show it. */
function readPayments(webhookUrl: string | undefined, given: string | undefined) {
  if (webhookUrl === undefined) return undefined;
  const secret = given ?? process.env.SANDBOX_PAYMENT_SECRET;
  if (!URL.canParse(webhookUrl)) throw new Error('--payments-webhook must be an address.');
  if (!secret) throw new Error('--payments-webhook needs --payments-secret (or SANDBOX_PAYMENT_SECRET).');
  return { webhookUrl, secret };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      'media-dir': { type: 'string' },
      speed: { type: 'string' },
      'api-key': { type: 'string' },
      'video-urls': { type: 'boolean', default: false },
      'shared-media': { type: 'boolean', default: false },
      'payments-webhook': { type: 'string' },
      'payments-secret': { type: 'string' },
      'exit-with-parent': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const sandbox = await startSandbox({
    port: readNumber('port', values.port, { from: 0, to: 65_535 }),
    speed: readNumber('speed', values.speed, { from: 0.001, to: 1_000_000 }),
    mediaDir: values['media-dir'],
    apiKey: values['api-key'],
    videoUrls: values['video-urls'],
    sharedMedia: values['shared-media'],
    payments: readPayments(values['payments-webhook'], values['payments-secret']),
  });

  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    void sandbox.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('disconnect', end);
  if (values['exit-with-parent']) {
    process.stdin.on('end', end);
    process.stdin.on('error', end);
    process.stdin.resume();
  }
  console.log(`Sandbox upstream: ${sandbox.url}`);
}

main().catch((error: unknown) => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    console.error(
      'The port of the sandbox is in use. Stop what listens there, or choose another with --port.',
    );
  else console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exit(1);
});
