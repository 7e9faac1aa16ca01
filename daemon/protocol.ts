/** What the daemon must know of the maintenance router beside its type. A test holds these equal to the server's. */
export const PROTOCOL_VERSION = 1;
export const WORKER_ID_HEADER = 'x-sidelane-worker-id';
export const PROTOCOL_HEADER = 'x-sidelane-protocol';
export const MIN_TOKEN_CHARACTERS = 32;
export const MAX_KNOCK_LIMIT = 500;
export const MAX_LONG_POLL_MS = 20_000;
/** The web process ends a call within this, waiting included. */
export const CALL_BUDGET_MS = 25_000;

/** Release of this daemon, as in package.json. */
export const DAEMON_VERSION = '0.1.0';
