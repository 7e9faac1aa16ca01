type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One line per event on stdout. journald adds the time; a terminal or another supervisor may do so too. */
export type Log = {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

/**
 * @param write takes one whole line
 * @param secret never printed, wherever it may turn up
 */
export function createLog(write: (line: string) => void, secret: string): Log {
  const print = (prefix: string, message: string, fields: LogFields = {}) => {
    const pairs = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
    const line = `${prefix}${message}${pairs.join('')}`.replace(/[\r\n]+/g, ' ');
    write(`${secret ? line.replaceAll(secret, '[redacted]') : line}\n`);
  };
  return {
    info: (message, fields) => print('', message, fields),
    warn: (message, fields) => print('warning: ', message, fields),
    error: (message, fields) => print('error: ', message, fields),
  };
}
