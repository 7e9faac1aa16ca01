import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kind } from '#server/generation/status.ts';
import type { SampleMedia } from '../sample-media.ts';
import type { PollStep, Script } from './scripts.ts';
import type { JobState, WireProfile, WireReply, WireRequest } from './wire-profile.ts';

/** Plays upstream by a script: one play per task, each below a path of its own, over real HTTP. */

type Create = { ref: string; accepted: boolean };

export type Play = {
  /** For the channel. */
  baseUrl: string;
  /** Creates as they came, with the reference of the dispatch that sent them. */
  creates: Create[];
  polls: number;
  /** Replaces the rest of the script: what upstream says from now on. */
  say(step: PollStep): void;
};

type State = {
  profile: WireProfile;
  script: Script;
  outputs: number;
  play: Play;
  jobId: string;
  createRequest: WireRequest | undefined;
  pollIndex: number;
  saying: PollStep | undefined;
  /** Raised by each answer that names addresses: an expired one becomes fresh. */
  generation: number;
};

/** `reset`: the socket breaks instead. */
type Answer = WireReply | 'reset';

const PAGE = '<html><body>Bad gateway: the task failed</body></html>';
/** More than the rig lets an output be. */
const HUGE_BYTES = 400_000;

export async function startScriptedUpstream(media: SampleMedia) {
  const states = new Map<string, State>();
  let jobs = 0;
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  const inside = await startInside(media);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await answerTo(request);
    if (answer === 'reset') response.socket?.destroy();
    else send(response, answer);
  }

  async function answerTo(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', `http://${host}`);
    const [, area = '', key = '', ...rest] = url.pathname.split('/');
    const state = states.get(key);
    if (!state) return { status: 404 };
    if (area === 'media') return mediaOf(state, Number(url.searchParams.get('v')));
    const path = `/${rest.join('/')}`.slice(state.profile.basePath.length);
    const seen = await readRequest(request, path, url.searchParams);
    const route = state.profile.route(seen);
    switch (route?.type) {
      case undefined:
        return { status: 404, json: { error: { message: `No route for ${seen.method} ${path}` } } };
      case 'other':
        return route.reply;
      case 'create':
        return create(state, seen);
      case 'poll':
        return poll(state, route.id);
      case 'result':
        return result(state, route.id);
      case 'cancel':
        return state.profile.cancelled?.(route.id) ?? { status: 405 };
      case 'lookup':
        return lookup(state);
    }
  }

  function create(state: State, seen: WireRequest): Answer {
    const { profile, script, play } = state;
    const ref = seen.headers['idempotency-key'] ?? '';
    const note = (accepted: boolean) => {
      play.creates.push({ ref, accepted });
      if (accepted) state.createRequest = seen;
    };
    const taken = (): Answer => {
      note(true);
      return profile.synchronous ? done(state) : profile.accepted(state.jobId);
    };
    switch (script.create) {
      case 'accept':
        return taken();
      case 'rate_limit_once':
        if (play.creates.length > 0) return taken();
        note(false);
        return profile.rateLimited;
      case 'reject':
        note(false);
        return profile.rejected;
      case 'account_reject':
        note(false);
        return profile.accountRejected;
      case 'accept_then_502':
        note(true);
        return { status: 502, text: PAGE, headers: { 'content-type': 'text/html' } };
      case 'accept_then_reset':
        note(true);
        return 'reset';
      case 'reset':
        note(false);
        return 'reset';
      case 'no_id':
        note(true);
        return profile.noId;
      case 'html':
        note(true);
        return { text: PAGE, headers: { 'content-type': 'text/html' } };
      case 'refused_port':
        throw new Error('Nothing is sent to a port that nobody listens on');
    }
  }

  function poll(state: State, id: string): Answer {
    state.play.polls += 1;
    const { polls } = state.script;
    const step = state.saying ?? polls[Math.min(state.pollIndex, polls.length - 1)] ?? 'running';
    state.pollIndex += 1;
    const { profile } = state;
    switch (step) {
      case 'missing':
        return profile.missing(id);
      case '429':
        return { status: 429, headers: { 'retry-after': '7' }, json: {} };
      case '503':
        return { status: 503, text: PAGE, headers: { 'content-type': 'text/html' } };
      case '401':
        return { status: 401, json: { error: { message: 'Unauthorized' } } };
      case 'reset_poll':
        return 'reset';
      case 'html_poll':
        return { text: PAGE, headers: { 'content-type': 'text/html' } };
      case 'empty_body':
        return { text: '' };
      case 'truncated':
        return { text: '{"status":"comp', headers: { 'content-type': 'application/json' } };
      default:
        return profile.job(id, stateOf(state, step));
    }
  }

  /** The second hop says what the last poll said. */
  function result(state: State, id: string): WireReply {
    const { polls } = state.script;
    const step =
      state.saying ?? polls[Math.min(Math.max(0, state.pollIndex - 1), polls.length - 1)] ?? 'running';
    const isState = !/^(missing|\d+|reset_poll|html_poll|empty_body|truncated)$/.test(step);
    return (
      state.profile.result?.(id, stateOf(state, isState ? (step as JobState['type']) : 'running')) ?? {
        status: 404,
      }
    );
  }

  function stateOf(state: State, step: JobState['type'] | 'partial'): JobState {
    if (step === 'succeeded') return { type: 'succeeded', urls: urlsOf(state, state.outputs) };
    if (step === 'partial') return { type: 'succeeded', urls: urlsOf(state, Math.max(1, state.outputs - 1)) };
    // An upstream that repeats the key in its sentence: nobody may read it.
    if (step === 'failed') return { type: step, reason: `It broke for ${state.profile.apiKey}.` };
    return { type: step };
  }

  function urlsOf(state: State, count: number): string[] {
    state.generation += 1;
    const key = keyOf(state);
    return Array.from(
      { length: count },
      (_, index) =>
        `http://${host}/media/${key}/${index}.${EXTENSIONS[state.profile.kind]}?v=${state.generation}`,
    );
  }

  function lookup(state: State): WireReply {
    const { profile, createRequest, play } = state;
    const job = createRequest && {
      id: state.jobId,
      clientRef: play.creates.find((item) => item.accepted)?.ref ?? '',
      createRequest,
    };
    return profile.lookup?.(job) ?? { status: 404 };
  }

  function done(state: State): WireReply {
    const { profile, script, outputs } = state;
    const urls = urlsOf(state, outputs);
    const sample =
      profile.kind === 'text' ? { bytes: Buffer.from('A text.'), mime: 'text/plain' } : media[profile.kind];
    const bytes =
      script.media === 'html' ? Buffer.from(PAGE) : script.media === 'zero' ? new Uint8Array() : sample.bytes;
    return profile.done?.(urls.map((url) => ({ bytes, mime: sample.mime, url }))) ?? { status: 500 };
  }

  function mediaOf(state: State, generation: number): WireReply {
    const { kind } = state.profile;
    if (kind === 'text') return { text: 'A text.' };
    const sample = media[kind];
    switch (state.script.media) {
      case 'zero':
        return { bytes: new Uint8Array(), headers: { 'content-type': sample.mime } };
      case 'html':
        return { text: PAGE, headers: { 'content-type': sample.mime } };
      case 'huge':
        return {
          bytes: Buffer.concat([sample.bytes, Buffer.alloc(HUGE_BYTES)]),
          headers: { 'content-type': sample.mime },
        };
      case 'private_redirect':
        return { status: 302, headers: { location: `${inside.url}/${kind}` } };
      case 'expired':
        return { status: 403, text: 'expired' };
      case 'expired_then_fresh':
        if (generation <= 1) return { status: 403, text: 'expired' };
        return { bytes: sample.bytes, headers: { 'content-type': sample.mime } };
      case 'ok':
        return { bytes: sample.bytes, headers: { 'content-type': sample.mime } };
    }
  }

  const keyOf = (state: State): string => {
    for (const [key, value] of states) if (value === state) return key;
    throw new Error('The play is over');
  };

  return {
    host,
    play(profile: WireProfile, script: Script, outputs: number): Play {
      jobs += 1;
      const key = `play${jobs}`;
      const base = script.create === 'refused_port' ? '127.0.0.1:1' : host;
      const state: State = {
        profile,
        script,
        outputs,
        jobId: profile.jobId(jobs),
        createRequest: undefined,
        pollIndex: 0,
        saying: undefined,
        generation: 0,
        play: {
          baseUrl: `http://${base}/api/${key}${profile.basePath}`,
          creates: [],
          polls: 0,
          say(step) {
            state.saying = step;
          },
        },
      };
      states.set(key, state);
      return state.play;
    },
    async close(): Promise<void> {
      await inside.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A host that nobody may reach through us, which would even have a good file. */
async function startInside(media: SampleMedia) {
  const server = createServer((request, response) => {
    const kind = request.url?.slice(1) as keyof SampleMedia;
    response.end(media[kind]?.bytes);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const EXTENSIONS: Readonly<Record<Kind, string>> = { image: 'png', video: 'mp4', audio: 'mp3', text: 'txt' };

async function readRequest(
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
  return { method: request.method ?? 'GET', path, query, headers, body, json: parse(body) };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, reply: WireReply): void {
  const body = reply.bytes ?? reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json));
  const type = reply.json === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(reply.status ?? 200, { ...type, ...reply.headers });
  response.end(body);
}
