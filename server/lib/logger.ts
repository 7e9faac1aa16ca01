import { pino } from 'pino';

export type Logger = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
};

/** JSON lines on stdout, fit for journald; secrets are redacted by path as a second net below `redactValue`. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: [
        'authorization',
        'token',
        'password',
        'apiKey',
        '*.authorization',
        '*.token',
        '*.password',
        '*.apiKey',
        'req.headers',
      ],
      censor: '[redacted]',
    },
  });
}
