import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bucket in memory that answers in S3's wire format (path style), on a free port of the loopback address. */
export type FakeS3 = {
  endpoint: string;
  objects: Map<string, Buffer>;
  /** Multipart uploads that were neither completed nor aborted. */
  openUploads: Map<string, Map<number, Buffer>>;
  /** `METHOD key?query`, in order. */
  requests: string[];
  /** Answers the next request that matches with this status and error code instead. */
  failNext(match: RegExp, status: number, code: string): void;
  close(): Promise<void>;
};

export async function startFakeS3(bucket: string): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const openUploads = new Map<string, Map<number, Buffer>>();
  const requests: string[] = [];
  const failures: { match: RegExp; status: number; code: string }[] = [];

  const server = createServer((req, res) => {
    void readBody(req).then((body) => answer(req, res, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function answer(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
    const url = new URL(req.url ?? '/', 'http://127.0.0.1');
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}`.length).replace(/^\//, ''));
    const line = `${req.method} ${key}${url.search}`;
    requests.push(line);
    const failure = failures.findIndex(({ match }) => match.test(line));
    if (failure >= 0) {
      const [{ status, code } = { status: 500, code: 'InternalError' }] = failures.splice(failure, 1);
      sendError(res, status, code);
      return;
    }
    const query = url.searchParams;
    const uploadId = query.get('uploadId');
    if (key === '') {
      answerBucket(req, res, { query, body });
      return;
    }
    if (req.method === 'POST' && query.has('uploads')) {
      const id = `upload-${requests.length}`;
      openUploads.set(id, new Map());
      sendXml(
        res,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      );
      return;
    }
    if (uploadId !== null) {
      answerUpload(req, res, { key, uploadId, query, body });
      return;
    }
    if (req.method === 'PUT') {
      objects.set(key, body);
      res.setHeader('ETag', '"etag"').end();
      return;
    }
    if (req.method === 'DELETE') {
      objects.delete(key);
      res.writeHead(204).end();
      return;
    }
    answerObject(req, res, objects.get(key));
  }

  function answerUpload(
    req: IncomingMessage,
    res: ServerResponse,
    part: { key: string; uploadId: string; query: URLSearchParams; body: Buffer },
  ): void {
    const parts = openUploads.get(part.uploadId);
    if (!parts) {
      sendError(res, 404, 'NoSuchUpload');
      return;
    }
    if (req.method === 'PUT') {
      const number = Number(part.query.get('partNumber'));
      parts.set(number, part.body);
      res.setHeader('ETag', `"part-${number}"`).end();
    } else if (req.method === 'POST') {
      const listed = [...part.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map((match) =>
        Number(match[1]),
      );
      objects.set(
        part.key,
        Buffer.concat(listed.map((number) => parts.get(number) ?? Buffer.from('part missing'))),
      );
      openUploads.delete(part.uploadId);
      sendXml(res, `<CompleteMultipartUploadResult><Key>${part.key}</Key></CompleteMultipartUploadResult>`);
    } else {
      openUploads.delete(part.uploadId);
      res.writeHead(204).end();
    }
  }

  function answerBucket(
    req: IncomingMessage,
    res: ServerResponse,
    { query, body }: { query: URLSearchParams; body: Buffer },
  ): void {
    if (req.method === 'POST') {
      for (const match of body.toString().matchAll(/<Key>([^<]+)<\/Key>/g)) objects.delete(match[1] ?? '');
      sendXml(res, '<DeleteResult></DeleteResult>');
      return;
    }
    const prefix = query.get('prefix') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const delimiter = query.get('delimiter');
    if (delimiter) {
      const folders = keys.flatMap((key) => {
        const end = key.indexOf(delimiter, prefix.length);
        return end < 0 ? [] : key.slice(0, end + 1);
      });
      const most = Number(query.get('max-keys') ?? 1_000);
      const prefixes = [...new Set(folders)].slice(0, most);
      const xml = prefixes.map((one) => `<CommonPrefixes><Prefix>${one}</Prefix></CommonPrefixes>`).join('');
      sendXml(res, `<ListBucketResult><IsTruncated>false</IsTruncated>${xml}</ListBucketResult>`);
      return;
    }
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    sendXml(res, `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
  }

  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    openUploads,
    requests,
    failNext: (match, status, code) => failures.push({ match, status, code }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerObject(req: IncomingMessage, res: ServerResponse, object: Buffer | undefined): void {
  if (!object) {
    if (req.method === 'HEAD') res.writeHead(404).end();
    else sendError(res, 404, 'NoSuchKey');
    return;
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '');
  const part = range ? object.subarray(Number(range[1]), Number(range[2]) + 1) : object;
  res.writeHead(range ? 206 : 200, {
    'content-length': part.byteLength,
    'last-modified': new Date(0).toUTCString(),
  });
  res.end(req.method === 'HEAD' ? undefined : part);
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of req) chunks.push(chunk);
  } catch {
    // The client went away.
  }
  return Buffer.concat(chunks);
}

function sendXml(res: ServerResponse, xml: string, status = 200): void {
  res
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function sendError(res: ServerResponse, status: number, code: string): void {
  sendXml(res, `<Error><Code>${code}</Code><Message>account 000000000000 may not</Message></Error>`, status);
}
