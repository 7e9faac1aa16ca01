import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { AssetStore } from '#server/storage/asset-store.ts';

/** A stored file and how it is to be shown. */
type ServedFile = {
  storageKey: string;
  bytes: number;
  /** Strong for the bytes whose SHA-256 is known, weak (`W/…`) for what was derived from them. */
  etag: string;
  mime: string;
  fileName: string;
  /** How long a browser may keep it, in seconds; a day unless told. */
  maxAgeSeconds?: number;
  /** Never shown by the browser itself, whatever is asked for. */
  attachmentOnly?: boolean;
};

/** A day: files never change, and after a sign-out the browser asks again because of `Vary`. */
const MAX_AGE_SECONDS = 86_400;

/**
 * Answers GET and HEAD for one file: validators first (304), then a single byte range (206, 416), else all of it. The
 * browser never interprets what users and upstreams made: fixed type, nosniff, a sandbox without any source.
 *
 * A client that goes away only ends this answer; the file handle is closed with it.
 */
export async function sendFile(
  store: AssetStore,
  file: ServedFile,
  http: { req: Request; res: Response },
): Promise<void> {
  const { req, res } = http;
  setFileHeaders(file, http);
  if (matchesEtag(req.headers['if-none-match'], file.etag)) {
    res.status(304).end();
    return;
  }
  // Ranges are defined for GET only (RFC 9110, 14.2).
  const range =
    req.method === 'GET' && rangeStillValid(req, file.etag)
      ? parseRange(req.headers.range, file.bytes)
      : 'all';
  if (range === 'unsatisfiable') {
    res.removeHeader('Content-Disposition');
    res.status(416).setHeader('Content-Range', `bytes */${file.bytes}`).type('text/plain');
    res.end('The requested range is outside of the file.');
    return;
  }
  const length = range === 'all' ? file.bytes : range.end - range.start + 1;
  if (req.method === 'HEAD') {
    res.status(200).setHeader('Content-Length', length).end();
    return;
  }
  const { stream } = await store.open(file.storageKey, range === 'all' ? undefined : range);
  if (range !== 'all')
    res.status(206).setHeader('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`);
  res.setHeader('Content-Length', length);
  // Destroys the stream (and so closes the file) when the client goes away, and the answer when the file breaks.
  await pipeline(stream, res);
}

/**
 * Answers with an archive that is made while it is sent: its length is not known, and it is never kept by a cache. A client
 * that goes away ends it.
 */
export async function sendArchive(
  { fileName, stream }: { fileName: string; stream: Readable },
  { req, res }: { req: Request; res: Response },
): Promise<void> {
  res.setHeader('Content-Type', 'application/zip');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  res.setHeader('Cache-Control', 'no-store, no-transform');
  res.setHeader('Content-Disposition', contentDisposition('attachment', fileName));
  if (req.method === 'HEAD') {
    stream.destroy();
    res.status(200).end();
    return;
  }
  await pipeline(stream, res);
}

/** What every answer about a file carries. */
function setFileHeaders(file: ServedFile, { req, res }: { req: Request; res: Response }): void {
  // Text is never sent as HTML, JSON or anything that a browser might run.
  res.setHeader('Content-Type', file.mime.startsWith('text/') ? 'text/plain; charset=utf-8' : file.mime);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox");
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  // no-transform: compression would break lengths and ranges.
  const freshness =
    file.maxAgeSeconds === undefined
      ? `max-age=${MAX_AGE_SECONDS}, immutable`
      : `max-age=${file.maxAgeSeconds}`;
  res.setHeader('Cache-Control', `private, ${freshness}, no-transform`);
  res.vary('Cookie');
  res.vary('Authorization');
  res.setHeader('ETag', file.etag);
  res.setHeader('Accept-Ranges', 'bytes');
  const asAttachment = file.attachmentOnly || req.query.download === '1';
  res.setHeader(
    'Content-Disposition',
    contentDisposition(asAttachment ? 'attachment' : 'inline', file.fileName),
  );
}

/** RFC 6266: an ASCII name for old clients, and the exact one in UTF-8 where they differ. */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/g, '_')
    .replace(/["\\%]/g, '_');
  if (ascii === fileName) return `${type}; filename="${ascii}"`;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

type ByteRange = { start: number; end: number };

/**
 * Reads a `Range` header for a file of `size` bytes; both ends are inclusive. Several ranges, other units and bad
 * syntax are ignored, as RFC 9110 allows: the whole file is the answer.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'all' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '');
  if (!match) return 'all';
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return 'all';
    const suffix = Number(last);
    if (suffix === 0 || size === 0) return 'unsatisfiable';
    return { start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** `If-None-Match`, by weak comparison. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return header.split(',').some((tag) => opaque(tag) === opaque(etag));
}

/** `If-Range`, by strong comparison; a date never matches because no date is sent. */
function rangeStillValid(req: Request, etag: string): boolean {
  const condition = req.headers['if-range'];
  if (condition === undefined) return true;
  return !etag.startsWith('W/') && String(condition).trim() === etag;
}
