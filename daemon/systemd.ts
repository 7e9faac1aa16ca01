import { execFile } from 'node:child_process';
import type { Log } from './log.ts';

export type Systemd = {
  ready(status: string): void;
  stopping(): void;
  /** Feeds the watchdog three times per its limit while `isAlive`; returns what stops that. */
  startWatchdog(isAlive: () => boolean): () => void;
};

export type SystemdOptions = { notifySocket: string | undefined; watchdogMs: number | undefined; log: Log };

/**
 * sd_notify through the program `systemd-notify`, which knows every form of socket address (the unit needs
 * NotifyAccess=all, since the message comes from a child). Without NOTIFY_SOCKET nothing happens.
 */
export function createSystemd({ notifySocket, watchdogMs, log }: SystemdOptions): Systemd {
  let complained = false;

  function notify(...variables: string[]): void {
    if (!notifySocket) return;
    execFile('systemd-notify', variables, { timeout: 10_000 }, (error) => {
      if (error && !complained) {
        complained = true;
        log.warn('systemd-notify failed; systemd will not see this service as ready', {
          reason: error.message,
        });
      }
    });
  }

  return {
    ready: (status) => notify('READY=1', `STATUS=${status}`),
    stopping: () => notify('STOPPING=1'),
    startWatchdog(isAlive) {
      if (!notifySocket || !watchdogMs) return () => {};
      let hanging = false;
      const timer = setInterval(() => {
        const alive = isAlive();
        if (alive) notify('WATCHDOG=1');
        else if (!hanging) log.error('A loop hangs; leaving the restart to the watchdog');
        hanging = !alive;
      }, watchdogMs / 3);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
