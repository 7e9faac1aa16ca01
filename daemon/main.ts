import { createMaintenanceClient } from './client.ts';
import { createConditions } from './conditions.ts';
import { ConfigurationError, type DaemonEnv, EXIT_BAD_CONFIGURATION, readDaemonEnv } from './env.ts';
import { makeHeartbeat } from './heartbeat.ts';
import { allTurning, createLaneStatus, runLane } from './lane.ts';
import { makeLanes } from './lanes.ts';
import { createLog } from './log.ts';
import { createSystemd } from './systemd.ts';

const GOODBYE_MS = 400;

// Whoever reads our output may go away first; that is no reason to stop.
process.stdout.on('error', () => {});

const env = readConfiguration();
process.exit(await runDaemon(env));

function readConfiguration(): DaemonEnv {
  try {
    return readDaemonEnv();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_BAD_CONFIGURATION);
  }
}

/** Runs heartbeat and lanes until a stop signal; resolves with the exit code. */
async function runDaemon(env: DaemonEnv): Promise<number> {
  const log = createLog((line) => process.stdout.write(line), env.token);
  const conditions = createConditions({ log, origin: env.origin });
  const systemd = createSystemd({ ...env.systemd, log });
  const { client, close } = createMaintenanceClient(env);
  const stop = stopOnSignal((signal) => {
    systemd.stopping();
    log.info('Stopping', { signal });
  });

  const loops = makeLanes(env, client).flatMap((lane) =>
    Array.from({ length: lane.count }, (_, number) => ({
      lane,
      status: createLaneStatus(lane.name, number),
    })),
  );
  const heartbeat = makeHeartbeat(
    env,
    client,
    loops.map((loop) => loop.status),
  );
  loops.push({ lane: heartbeat.lane, status: createLaneStatus(heartbeat.lane.name, 0) });

  log.info(`Generation worker started: ${env.workerId}`);
  systemd.ready(`${env.generationLanes} generation lanes knock at ${env.origin}`);
  const stopWatchdog = systemd.startWatchdog(() => allTurning(loops.map((loop) => loop.status)));

  const context = { conditions, signal: stop, random: Math.random };
  await Promise.all(loops.map(({ lane, status }) => runLane(lane, status, context)));

  stopWatchdog();
  await heartbeat.sayGoodbye(GOODBYE_MS);
  await close();
  log.info('Stopped');
  return 0;
}

/** Aborts at the first SIGTERM or SIGINT; a second one ends the process at once. */
function stopOnSignal(onStop: (signal: NodeJS.Signals) => void): AbortSignal {
  const controller = new AbortController();
  const handle = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(1);
    onStop(signal);
    controller.abort();
  };
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  return controller.signal;
}
