import closeWithGrace from 'close-with-grace';
import { type Env, EnvError, readEnv } from '#server/env.ts';
import { describeError } from '#server/lib/describe-error.ts';
import { EXIT_CONFIG, StartupError } from '#server/lib/startup-error.ts';
import { startWeb } from '#server/start-web.ts';

/** Beyond the drain itself: closing server, connections and listeners. */
const CLOSE_MARGIN_MS = 20_000;

try {
  await run(readEnv());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(error instanceof EnvError ? EXIT_CONFIG : error instanceof StartupError ? error.exitCode : 1);
}

async function run(env: Env): Promise<void> {
  const web = await startWeb(env);
  const { logger } = web.container.deps;
  // The first SIGTERM or SIGINT drains, as does an error that nobody caught; a second one exits at once with 1.
  closeWithGrace(
    {
      delay: env.DRAIN_SECONDS * 1_000 + CLOSE_MARGIN_MS,
      logger: false,
      onSecondSignal: (signal) => logger.warn({ signal }, 'Second signal: exiting at once'),
      onSecondError: (error) =>
        logger.error({ error: describeError(error) }, 'Second error: exiting at once'),
      onTimeout: (ms) => logger.error({ ms }, 'Shutdown took too long: exiting'),
    },
    async ({ signal, err }) => {
      if (err) logger.error({ error: describeError(err) }, 'An error that nobody caught: shutting down');
      else logger.info({ signal }, 'Shutting down');
      await web.close();
      logger.info({}, 'Web process stopped');
    },
  );
}

function explain(error: unknown): string {
  if (error instanceof EnvError || error instanceof StartupError) return error.message;
  const { name, message, code, at } = describeError(error);
  return `The web process cannot start: ${code ?? name}: ${message}${at ? ` (${at})` : ''}`;
}
