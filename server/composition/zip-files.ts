import { PassThrough, pipeline, Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { sanitiseFileName } from '#server/storage/file-name.ts';

type ZipSource = Readable | { text: string };

export type ZipEntry = {
  /** Folders are kept, one level of `/` each; characters that some system refuses are dropped. */
  name: string;
  /** Called when its turn comes, so that only one source is open at a time. Text may be given as it is. */
  source: (() => ZipSource | Promise<ZipSource>) | { text: string };
  mtime?: Date;
};

/**
 * A zip archive as a stream. Memory does not grow with the files: each is read as fast as the reader takes it. Media
 * are stored as they are, for they do not shrink; text is compressed. A source that fails destroys the stream with its
 * error, and a reader that goes away destroys the source that is open.
 */
export function zipFiles(entries: readonly ZipEntry[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  let current: Readable | undefined;
  let gone = false;

  output.once('close', () => {
    gone = true;
    current?.destroy();
  });
  zip.on('error', (error: Error) => output.destroy(error));
  pipeline(zip.outputStream, output, () => {});

  const taken = new Set<string>();
  for (const { name, source, mtime } of entries) {
    const path = uniqueName(sanitisePath(name), taken);
    const options = { mtime: mtime ?? new Date(), mode: 0o100644 };
    if (typeof source !== 'function') {
      zip.addBuffer(Buffer.from(source.text), path, options);
      continue;
    }
    zip.addReadStreamLazy(path, { ...options, compress: false }, (give) => {
      open(source).then(
        (stream) => {
          current = stream;
          stream.once('error', (error) => output.destroy(error));
          if (gone) stream.destroy();
          else give(null, stream);
        },
        (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    });
  }
  zip.end();
  return output;
}

async function open(source: () => ZipSource | Promise<ZipSource>): Promise<Readable> {
  const opened = await source();
  return 'text' in opened ? Readable.from([Buffer.from(opened.text)]) : opened;
}

/** No entry may leave the folder that somebody unpacks into. */
function sanitisePath(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => part.replaceAll('.', '').trim() !== '');
  return parts.map((part) => sanitiseFileName(part, 'bin')).join('/') || 'file.bin';
}

/** Compared without case: some systems take `A` and `a` for one file. */
function uniqueName(path: string, taken: Set<string>): string {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]+)?$/.exec(path) ?? [];
  let unique = path;
  for (let copy = 2; taken.has(unique.toLowerCase()); copy += 1) unique = `${stem} (${copy})${ending}`;
  taken.add(unique.toLowerCase());
  return unique;
}
