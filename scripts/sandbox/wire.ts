import type { IncomingMessage, ServerResponse } from 'node:http';
import busboy from 'busboy';
import type { z } from 'zod';
import type { FormatName } from './rules.ts';

/** HTTP primitives of the sandbox: one call, its body, its answers. */

const JSON_LIMIT_BYTES = 20_000_000;
const FILE_LIMIT_BYTES = 100_000_000;

/** What a call was for; the request log is filtered by it. */
export type CallName =
  | 'create'
  | 'poll'
  | 'result'
  | 'content'
  | 'file'
  | 'list'
  | 'cancel'
  | 'delete'
  | 'models'
  | 'check'
  | 'other';

export type LogEntry = {
  seq: number;
  /** Epoch milliseconds of arrival. */
  at: number;
  call: CallName;
  method: string;
  path: string;
  clientRef: string | null;
  jobId: string | null;
  /** Status that was answered; null while open, or when the socket was closed without an answer. */
  status: number | null;
  /** The behaviour that decided the answer. */
  fault: string | null;
  finished: boolean;
};

export type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  url: URL;
  /** Names in the path of the route. */
  params: Record<string, string>;
  /** Which vendor's format is spoken. */
  format: FormatName;
  /** How that vendor writes an error. */
  errorStyle: ErrorStyle;
  requestId: string;
  /** The key of the account, once checked. */
  apiKey: string;
  clientRef: string | null;
  log: LogEntry;
};

/** What a vendor's error looks like on the wire. */
type ErrorAnswer = { status: number; body: unknown; headers?: Record<string, string> };
export type ErrorStyle = (error: ApiError, exchange: Exchange) => ErrorAnswer;

/** A refusal or failure on its way to the client; the format of the call gives it its shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  constructor(status: number, code: string | null, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Answers once; a socket that is gone already is no error. */
export function sendText(
  { res }: Exchange,
  answer: { status: number; contentType: string; body: string; headers?: Record<string, string> },
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(answer.status, {
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(answer.body),
    ...answer.headers,
  });
  res.end(answer.body);
}

/** @param numericId an id that is to appear as a JSON number, wherever it is a value of its own */
export function toJson(value: unknown, numericId?: string): string {
  const text = JSON.stringify(value);
  return numericId ? text.replaceAll(`:"${numericId}"`, `:${numericId}`) : text;
}

export function sendJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers?: Record<string, string>,
): void {
  sendText(exchange, { status, contentType: 'application/json', body: toJson(value), headers });
}

export function sendError(exchange: Exchange, error: ApiError, headers?: Record<string, string>): void {
  const answer = exchange.errorStyle(error, exchange);
  sendJson(exchange, answer.status, answer.body, { ...answer.headers, ...headers });
}

export function sendHtml(exchange: Exchange, status: number): void {
  const body =
    '<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Bad gateway</h1><p>The request failed; our engineers are on it.</p></body></html>';
  sendText(exchange, { status, contentType: 'text/html; charset=utf-8', body });
}

/** Closes the connection in the ordinary way, without an answer. */
export function dropConnection({ req }: Exchange): void {
  req.socket.destroy();
}

/** Closes the connection with a TCP reset. */
export function resetConnection({ req }: Exchange): void {
  req.socket.resetAndDestroy();
}

/** The whole body, as it came. */
export async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > JSON_LIMIT_BYTES)
      throw new ApiError(413, 'request_too_large', 'The request body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type UploadedFile = { field: string; fileName: string; mime: string; bytes: number };
export type Body = { fields: Record<string, unknown>; files: UploadedFile[] };

async function readMultipart(req: IncomingMessage): Promise<Body> {
  return new Promise<Body>((resolve, reject) => {
    const body: Body = { fields: {}, files: [] };
    const malformed = () =>
      reject(new ApiError(400, null, 'We could not parse the multipart body of your request.'));
    let parser: busboy.Busboy;
    try {
      parser = busboy({ headers: req.headers, limits: { files: 20, fileSize: FILE_LIMIT_BYTES } });
    } catch {
      malformed();
      return;
    }
    parser.on('field', (name, value) => {
      body.fields[name] = value;
    });
    parser.on('file', (field, stream, info) => {
      const file: UploadedFile = { field, fileName: info.filename ?? '', mime: info.mimeType, bytes: 0 };
      stream.on('data', (chunk: Buffer) => {
        file.bytes += chunk.length;
      });
      stream.on('limit', () => reject(new ApiError(413, 'file_too_large', 'The file is too large.')));
      stream.on('close', () => body.files.push(file));
    });
    parser.on('close', () => resolve(body));
    parser.on('error', malformed);
    req.on('error', malformed);
    req.pipe(parser);
  });
}

/** Reads a JSON object or a multipart form; the bytes of files are counted, not kept. */
export async function readBody(req: IncomingMessage): Promise<Body> {
  const contentType = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (contentType === 'multipart/form-data') return readMultipart(req);
  const bytes = await readBytes(req);
  if (contentType !== 'application/json') {
    throw new ApiError(400, null, 'Send the request as application/json or multipart/form-data.');
  }
  try {
    const fields: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
      return { fields: fields as Record<string, unknown>, files: [] };
    }
  } catch {
    // Answered below, like any other body that is no object.
  }
  throw new ApiError(
    400,
    null,
    'We could not parse the JSON body of your request. It must be a JSON object.',
  );
}

/** Checks fields against a schema; the first problem becomes a 400 that names the parameter. */
export function validate<T extends z.ZodType>(schema: T, fields: unknown): z.output<T> {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const name = issue.keys[0] ?? '';
    throw new ApiError(400, 'unknown_parameter', `Unknown parameter: '${name}'.`, name);
  }
  const param = issue?.path.join('.') ?? '';
  if (issue && isMissing(fields, issue.path))
    throw new ApiError(400, 'missing_required_parameter', `Missing required parameter: '${param}'.`, param);
  const code = issue?.code === 'invalid_type' ? 'invalid_type' : 'invalid_value';
  throw new ApiError(400, code, `Invalid value for '${param}': ${issue?.message ?? 'not accepted'}.`, param);
}

function isMissing(fields: unknown, path: readonly PropertyKey[]): boolean {
  let value = fields;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value === undefined;
}
