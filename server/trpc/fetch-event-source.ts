import { ofetch } from 'ofetch';

/** A server-sent event as the tRPC subscription link reads it. */
class StreamEvent extends Event {
  readonly data: string;
  readonly lastEventId: string;
  constructor(type: string, data: string, lastEventId: string) {
    super(type);
    this.data = data;
    this.lastEventId = lastEventId;
  }
}

/** Why a stream was not opened: the message that the server gave, for the subscription's `onError`. */
class StreamErrorEvent extends Event {
  readonly message: string;
  constructor(message: string) {
    super('error');
    this.message = message;
  }
}

const RECONNECT_MS = 1_000;

/**
 * `EventSource` over ofetch, for Node 20, which has none: unlike the browser's it sends headers, so a token stays out
 * of the address. Reconnects when a stream ends; an answer other than 200 `text/event-stream` is final, except 5xx and
 * 429.
 */
export class FetchEventSource extends EventTarget {
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSED = 2;
  readyState: number = 0;
  private readonly controller = new AbortController();
  private lastEventId = '';

  constructor(
    private readonly url: string,
    private readonly init: { headers?: Record<string, string> } = {},
  ) {
    super();
    void this.run();
  }

  close(): void {
    this.readyState = this.CLOSED;
    this.controller.abort();
  }

  private async run(): Promise<void> {
    while (this.readyState !== this.CLOSED) {
      const final = await this.connect().catch(() => undefined);
      if (this.readyState === this.CLOSED) return;
      this.readyState = final ? this.CLOSED : this.CONNECTING;
      this.dispatchEvent(new StreamErrorEvent(final ?? 'The stream broke; connecting again.'));
      if (!final) await pause(RECONNECT_MS, this.controller.signal);
    }
  }

  /** Reads one stream to its end. Returns the reason when there is no point in another try. */
  private async connect(): Promise<string | undefined> {
    const response = await ofetch.raw(this.url, {
      headers: {
        ...this.init.headers,
        accept: 'text/event-stream',
        ...(this.lastEventId ? { 'last-event-id': this.lastEventId } : {}),
      },
      responseType: 'stream',
      ignoreResponseError: true,
      retry: false,
      signal: this.controller.signal,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (response.status !== 200 || !isStream) {
      const text = await response.text();
      const again = response.status >= 500 || response.status === 429;
      return again ? undefined : (messageIn(text) ?? `The server refused the stream (${response.status}).`);
    }
    this.readyState = this.OPEN;
    this.dispatchEvent(new Event('open'));
    const stream = response._data as ReadableStream<Uint8Array> | undefined;
    if (stream) await this.read(stream);
    return undefined;
  }

  private async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let pending = '';
    let fields = { event: '', data: [] as string[] };
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) {
      const lines = (pending + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (fields.data.length > 0 || fields.event) this.emit(fields);
          fields = { event: '', data: [] };
          continue;
        }
        const colon = line.indexOf(':');
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
        if (name === 'event') fields.event = value;
        else if (name === 'data') fields.data.push(value);
        else if (name === 'id') this.lastEventId = value;
      }
    }
  }

  private emit({ event, data }: { event: string; data: string[] }): void {
    this.dispatchEvent(new StreamEvent(event || 'message', data.join('\n'), this.lastEventId));
  }
}

/** The sentence in a tRPC error body. */
function messageIn(text: string): string | undefined {
  try {
    const message = JSON.parse(text)?.error?.json?.message;
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
