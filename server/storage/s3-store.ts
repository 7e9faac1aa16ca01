import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { S3Driver } from 'flydrive/drivers/s3';
import { assertKey, assertPrefix } from './asset-key.ts';
import { type AssetStore, StorageError } from './asset-store.ts';
import { meterSource } from './meter-source.ts';

/**
 * Bytes held in memory per running upload. S3 allows 10,000 parts, so files of up to 83 GB fit, above the largest
 * MAX_OUTPUT_BYTES.
 */
const PART_BYTES = 8 * 1_048_576;

export type S3Options = {
  bucket: string;
  region: string;
  /** For servers other than AWS, such as `https://storage.example`. */
  endpoint?: string;
  /** Without both, the usual AWS sources (environment, profile, instance role) are asked. */
  accessKeyId?: string;
  secretAccessKey?: string;
  forcePathStyle: boolean;
};

/**
 * Files in an S3-compatible bucket. An object appears at its key only when the upload is complete, so there is nothing
 * to rename; an upload that fails is aborted. A killed process leaves an incomplete multipart upload: give the bucket
 * a lifecycle rule that removes those after a day.
 */
export function createS3Store(options: S3Options): AssetStore {
  const { bucket } = options;
  const client = new S3Client({
    region: options.region,
    endpoint: options.endpoint,
    forcePathStyle: options.forcePathStyle,
    ...(options.accessKeyId && options.secretAccessKey
      ? { credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey } }
      : {}),
    // Newer AWS checksums are refused by many compatible servers; we keep our own SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
  });
  const driver = new S3Driver({ client, bucket, visibility: 'private', supportsACL: false });

  const store: AssetStore = {
    async put(key, source, putOptions) {
      assertKey(key);
      const upload = createUpload(key, putOptions.signal);
      try {
        const file = await meterSource(source, putOptions, upload.write);
        await upload.finish();
        return file;
      } catch (error) {
        await upload.abandon();
        throw error;
      }
    },

    async open(key, range) {
      assertKey(key);
      return ours(async () => {
        const answer = await client.send(
          new GetObjectCommand({
            Bucket: bucket,
            Key: key,
            ...(range ? { Range: `bytes=${range.start}-${range.end}` } : {}),
          }),
        );
        if (!(answer.Body instanceof Readable)) throw new StorageError('io', 'The storage sent no body.');
        return { stream: answer.Body, bytes: answer.ContentLength ?? 0 };
      });
    },

    async stat(key) {
      assertKey(key);
      try {
        return { bytes: (await driver.getMetaData(key)).contentLength };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw ioError(error);
      }
    },

    async delete(key) {
      assertKey(key);
      await ours(() => driver.delete(key));
    },

    async deletePrefix(prefix) {
      assertPrefix(prefix);
      await ours(() => driver.deleteAll(prefix));
    },

    async listFolders(prefix, limit) {
      assertPrefix(prefix);
      return ours(async () => {
        const answer = await client.send(
          new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, Delimiter: '/', MaxKeys: limit }),
        );
        return (answer.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix?.slice(prefix.length, -1) ?? []);
      });
    },

    async withLocalFile(key, use) {
      const { stream } = await store.open(key);
      const directory = await ours(() => mkdtemp(join(tmpdir(), 'sidelane-')));
      try {
        const path = join(directory, 'file');
        await ours(() => pipeline(stream, createWriteStream(path)));
        return await use(path);
      } finally {
        stream.destroy();
        await rm(directory, { recursive: true, force: true });
      }
    },

    async check() {
      const key = `check-${randomUUID()}`;
      try {
        await driver.put(key, 'writable', { contentType: 'text/plain' });
        await driver.delete(key);
      } catch (error) {
        throw new StorageError(
          'io',
          `Storage bucket ${bucket} is not writable: ${describeFault(error)}, check the STORAGE_S3_* variables and the bucket's policy.`,
          error,
        );
      }
    },
  };
  return store;

  /** Collects parts of {@link PART_BYTES}; a file that fits into one is sent as a plain object. */
  function createUpload(key: string, signal: AbortSignal | undefined) {
    const target = { Bucket: bucket, Key: key };
    const sendOptions = signal ? { abortSignal: signal } : {};
    const parts: { PartNumber: number; ETag: string | undefined }[] = [];
    let buffer: Buffer | undefined;
    let filled = 0;
    let uploadId: string | undefined;

    async function sendPart(): Promise<void> {
      if (!buffer) return;
      uploadId ??= (await client.send(new CreateMultipartUploadCommand(target), sendOptions)).UploadId;
      const PartNumber = parts.length + 1;
      const answer = await client.send(
        new UploadPartCommand({
          ...target,
          UploadId: uploadId,
          PartNumber,
          Body: buffer.subarray(0, filled),
        }),
        sendOptions,
      );
      parts.push({ PartNumber, ETag: answer.ETag });
      filled = 0;
    }

    return {
      async write(chunk: Uint8Array): Promise<void> {
        buffer ??= Buffer.allocUnsafe(PART_BYTES);
        for (let offset = 0; offset < chunk.byteLength; ) {
          // Sent only when more is coming, so the last part is never empty.
          if (filled === PART_BYTES) await ours(sendPart, signal);
          const slice = chunk.subarray(offset, offset + PART_BYTES - filled);
          buffer.set(slice, filled);
          filled += slice.byteLength;
          offset += slice.byteLength;
        }
      },
      finish(): Promise<void> {
        return ours(async () => {
          if (uploadId === undefined) {
            const Body = buffer?.subarray(0, filled) ?? Buffer.alloc(0);
            await client.send(new PutObjectCommand({ ...target, Body }), sendOptions);
            return;
          }
          await sendPart();
          await client.send(
            new CompleteMultipartUploadCommand({
              ...target,
              UploadId: uploadId,
              MultipartUpload: { Parts: parts },
            }),
            sendOptions,
          );
        }, signal);
      },
      /** Best effort: the error that led here is the one to tell. */
      async abandon(): Promise<void> {
        if (uploadId === undefined) return;
        await client.send(new AbortMultipartUploadCommand({ ...target, UploadId: uploadId })).catch(() => {});
      },
    };
  }

  /** Runs one of our own operations: its failure is a storage fault, never the source's; an abort stays an abort. */
  async function ours<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof StorageError) throw error;
      if (isMissing(error)) throw new StorageError('missing', 'The file is not in storage.', error);
      throw ioError(error);
    }
  }

  function ioError(error: unknown): StorageError {
    return new StorageError('io', `Storage bucket ${bucket} failed: ${describeFault(error)}.`, error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound');
}

/** The service's error name only: its messages may name account ids. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const code = (error as NodeJS.ErrnoException).code;
  const name = error.name === 'Error' ? undefined : error.name;
  return typeof code === 'string' ? code : (name ?? 'no usable answer');
}
