import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** Word documents as small as they can be. */

export const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const COMPATIBILITY = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

export async function zipOf(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream as Readable);
}

export const documentXml = (body: string, head = '<?xml version="1.0" encoding="UTF-8"?>') =>
  `${head}<w:document xmlns:w="${WORD}" xmlns:mc="${COMPATIBILITY}"><w:body>${body}</w:body></w:document>`;

export const docxOf = (body: string, head?: string) =>
  zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': documentXml(body, head) });

export const paragraph = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
