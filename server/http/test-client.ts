import superjson from 'superjson';

type Json = Record<string, unknown>;

/** What a plain HTTP caller sees of one procedure call. */
export type Answer<T = unknown> = {
  status: number;
  headers: Headers;
  /** The body as it came. */
  text: string;
  data: T | undefined;
  error: { message: string; data: Json } | undefined;
};

export type CallOptions = {
  headers?: Record<string, string>;
  cookie?: string;
  token?: string;
  origin?: string;
};

/** Calls procedures by hand, so that tests see status, headers and bytes; keeps no cookie. */
export function procedureCaller(url: string) {
  async function send<T>(request: {
    path: string;
    init: RequestInit;
    options: CallOptions;
  }): Promise<Answer<T>> {
    const { path, init, options } = request;
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
    if (options.cookie) headers.cookie = options.cookie;
    if (options.cookie && init.method === 'POST') headers.origin = options.origin ?? url;
    else if (options.origin) headers.origin = options.origin;
    if (options.token) headers.authorization = `Bearer ${options.token}`;
    if (init.body) headers['content-type'] ??= 'application/json';
    const response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
    const text = await response.text();
    const body = parse(text);
    const error = body?.error ? superjson.deserialize<Answer['error']>(body.error as never) : undefined;
    const result = (body?.result as Json | undefined)?.data;
    return {
      status: response.status,
      headers: response.headers,
      text,
      error: error ?? undefined,
      data: result ? superjson.deserialize<T>(result as never) : undefined,
    };
  }
  return {
    query: <T = unknown>(name: string, options: CallOptions = {}, input?: unknown) => {
      const query = input === undefined ? '' : `?input=${encodeURIComponent(superjson.stringify(input))}`;
      return send<T>({ path: `/api/trpc/${name}${query}`, init: { method: 'GET' }, options });
    },
    mutate: <T = unknown>(name: string, input: unknown, options: CallOptions = {}) =>
      send<T>({
        path: `/api/trpc/${name}`,
        init: { method: 'POST', body: superjson.stringify(input ?? null) },
        options,
      }),
  };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The session cookie that an answer sets, as a request sends it back. */
export function cookieOf(answer: { headers: Headers }): string {
  const header = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('sidelane_session='));
  return header?.split(';')[0] ?? '';
}
