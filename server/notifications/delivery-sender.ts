import type { Deps } from '#server/deps.ts';
import { describeError } from '#server/lib/describe-error.ts';
import type { DeliveryDeps } from './deliver.ts';
import { runDeliveryBatch } from './run-delivery-batch.ts';

/** Looks for deliveries right after something ended in this process; the lane of the daemon finds what is left. */
export type DeliverySender = {
  /** No further claims; what is under way is stopped and due again. */
  drain(): Promise<void>;
};

/** Between two looks: ends come in flocks. */
const PAUSE_MS = 250;
const MOST_AT_ONCE = 200;

/** One turn at a time. Each commit that makes something due in this process starts one, at most four a second. */
export function createDeliverySender(deps: DeliveryDeps & Pick<Deps, 'due'>): DeliverySender {
  const stop = new AbortController();
  let wanted = false;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (wanted && !stop.signal.aborted) {
      wanted = false;
      try {
        await runDeliveryBatch(deps, { limit: MOST_AT_ONCE, workerId: null, signal: stop.signal });
      } catch (error) {
        deps.logger.warn({ error: describeError(error) }, 'Deliveries were left to the webhook lane');
      }
      await pause(PAUSE_MS, stop.signal);
    }
    running = undefined;
  }

  const unsubscribe = deps.due.onWake((at) => {
    if (at !== undefined && at > deps.clock.now()) return;
    wanted = true;
    running ??= run();
  });
  return {
    async drain() {
      unsubscribe();
      stop.abort();
      await running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
