import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isHttpPort, isPublicAddress, isPublicHost } from './address-rules.ts';

/** Redirects followed at most, each hop checked like the first URL. */
export const MAX_REDIRECTS = 5;

const CONNECT_TIMEOUT_MS = 10_000;
/** Node's default of 250 ms gives up on far hosts that have more than one address. */
const ADDRESS_ATTEMPT_TIMEOUT_MS = 2_500;

/** The guard refuses an address. The message names the host and never a resolved internal address. */
export class OutboundRefusedError extends Error {
  readonly code = 'OUTBOUND_REFUSED';
  constructor(message: string) {
    super(message);
    this.name = 'OutboundRefusedError';
  }
}

export type OutboundGuardOptions = {
  /** `host:port` entries that may be private: a sandbox, or a gateway in the own network. */
  allowHosts?: readonly string[];
  /** The setting that `allowHosts` comes from, for refusals. */
  allowedBy?: 'OUTBOUND_ALLOW_HOSTS' | 'WEBHOOK_ALLOW_HOSTS';
  /** Replaces the resolver, for tests. */
  lookup?: typeof systemLookup;
  /** Resolving, connecting and the TLS handshake together; 10 s when absent. */
  connectTimeoutMs?: number;
};

export type OutboundGuard = {
  /**
   * Checks a URL that an upstream or a user gave, before anything is resolved.
   *
   * @throws OutboundRefusedError for another scheme than http(s), credentials in the URL, a private host, or a port
   *   that belongs to another protocol
   */
  checkUrl(url: string | URL): URL;
  /**
   * Connects an undici agent: resolves once, checks every resolved address and connects to those very addresses, so
   * that a name cannot change between check and use (DNS rebinding).
   */
  connector: buildConnector.connector;
};

type Address = { address: string; family: number };

/** Every request that leaves the process goes through one of these. */
export function createOutboundGuard(options: OutboundGuardOptions = {}): OutboundGuard {
  const allowed = new Set(
    (options.allowHosts ?? []).map((entry) => entry.trim().toLowerCase()).filter(Boolean),
  );
  const resolve = options.lookup ?? systemLookup;
  const hint = `An operator may allow it in ${options.allowedBy ?? 'OUTBOUND_ALLOW_HOSTS'}.`;

  const common = {
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_TIMEOUT_MS,
  };
  const guarded = buildConnector({
    ...common,
    lookup: pinningLookup(resolve, hint),
  } as buildConnector.BuildOptions);
  const trusted = buildConnector({ ...common, lookup: resolve } as buildConnector.BuildOptions);

  return {
    checkUrl(input) {
      const url = parseUrl(input);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new OutboundRefusedError(`Only http and https addresses are allowed, not "${url.protocol}".`);
      }
      if (url.username !== '' || url.password !== '') {
        throw new OutboundRefusedError('An address must not carry a user name or password.');
      }
      if (url.hostname === '') throw new OutboundRefusedError('The address has no host.');
      if (!allowed.has(hostPort(url.hostname, url.port, url.protocol))) refuseTarget(url, hint);
      return url;
    },

    connector(target, callback) {
      // The URL was checked before; this second check holds whatever code path led to the connection.
      const isAllowed = allowed.has(hostPort(target.hostname, target.port, target.protocol));
      if (!isAllowed) {
        try {
          refuseTarget(target, hint);
        } catch (error) {
          queueMicrotask(() => callback(error as Error, null));
          return;
        }
      }
      return (isAllowed ? trusted : guarded)(target, callback);
    },
  };
}

function parseUrl(input: string | URL): URL {
  if (input instanceof URL) return input;
  // Relative forms ("//host/x") have no meaning here: the sender of a URL must name the scheme.
  if (!/^[a-z][a-z0-9+.-]*:/i.test(input.trim()))
    throw new OutboundRefusedError('This is not an absolute http(s) address.');
  try {
    return new URL(input.trim());
  } catch {
    throw new OutboundRefusedError('This is not a valid address.');
  }
}

/** `host:port` in the form of the allow list, with the scheme's port when none is given; IPv6 in brackets. */
function hostPort(hostname: string, port: string, protocol: string): string {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return `${host.toLowerCase()}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** What needs no resolver to be refused. */
function refuseTarget({ hostname, port }: { hostname: string; port: string }, hint: string): void {
  if (!isPublicHost(hostname)) {
    throw new OutboundRefusedError(`The address of "${hostname}" is not on the public Internet. ${hint}`);
  }
  if (!isHttpPort(port)) {
    throw new OutboundRefusedError(`Port ${port} belongs to another protocol than http(s). ${hint}`);
  }
}

/** A resolver for `net.connect` that refuses a name as soon as one of its addresses is not public. */
function pinningLookup(resolve: typeof systemLookup, hint: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const addresses = found as unknown as Address[];
      const bad = addresses.length === 0 || addresses.some((entry) => !isPublicAddress(entry.address));
      if (bad) {
        const refusal = new OutboundRefusedError(
          `"${hostname}" leads to an address that is not on the public Internet. ${hint}`,
        );
        return callback(refusal as NodeJS.ErrnoException, '', 0);
      }
      if (options.all) return callback(null, addresses);
      const first = addresses[0] as Address;
      return callback(null, first.address, first.family);
    });
  };
}
