import type { CreateEndpoint, Sandbox } from '../endpoint.ts';
import type { FormatName } from '../rules.ts';
import type { EndpointName, Job } from '../state.ts';
import type { ApiError, CallName, ErrorStyle, Exchange } from '../wire.ts';

/** A wire format: routes, keys and errors of one vendor, over the jobs that all formats share. */

type Answering = void | Promise<void>;

/** `path`: whole, with `:name` for one segment and `*name` for one or more. */
type At = { method: string; path: string; call: CallName };

export type Route =
  | (At & { create: CreateEndpoint })
  /** About a job of these endpoints; its id is the parameter `id`. */
  | (At & {
      jobs: readonly EndpointName[];
      handle(sandbox: Sandbox, exchange: Exchange, job: Job): Answering;
    })
  /** `open`: needs no key. */
  | (At & { run(sandbox: Sandbox, exchange: Exchange): Answering; open?: true });

export type WireFormat = {
  name: FormatName;
  /** Calls below it are answered in this format, also where there is no route. The longest one wins. */
  prefix: string;
  routes: readonly Route[];
  /** The key as it was sent; undefined without one. */
  readKey(exchange: Exchange): string | undefined;
  /** @param sent whether there was a key at all */
  unauthenticated(sent: boolean): ApiError;
  /** For a job that does not exist or belongs to another key. */
  missing(id: string, route: Route): ApiError;
  errors: ErrorStyle;
  requestIdHeader: string;
};

/** The key of `Authorization: <scheme> <key>`. */
export function keyAfter(scheme: string, { req }: Exchange): string | undefined {
  const header = req.headers.authorization;
  if (!header) return undefined;
  const start = `${scheme} `;
  // Another scheme is a wrong key, not a missing one.
  return header.startsWith(start) ? header.slice(start.length) : '';
}
