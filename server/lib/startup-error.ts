/** Exit code of sysexits.h for a configuration that only a person can mend: a supervisor should not restart on it. */
export const EXIT_CONFIG = 78;

/** Why the process cannot start, in one line that names the fix. */
export class StartupError extends Error {
  readonly exitCode: number;
  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StartupError';
    this.exitCode = options.exitCode ?? 1;
  }
}
