import { SaxesParser, type SaxesTagNS } from 'saxes';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';

/** Why a Word document gave no text. */
export class DocxFault extends Error {
  readonly reason: 'damaged' | 'encrypted' | 'not_word' | 'oversized' | 'too_long';

  constructor(reason: DocxFault['reason'], options?: { cause: unknown }) {
    super(`Word document: ${reason}`, options);
    this.name = 'DocxFault';
    this.reason = reason;
  }
}

const MOST_ENTRIES = 10_000;

/** A novel's XML has some 10 MB; pictures are other entries, which are never unpacked. */
const MAX_XML_BYTES = 60_000_000;

/** Real documents shrink to a twentieth at most; what shrinks much more is built to fill the memory. */
const MAX_RATIO = 150;
const RATIO_FROM_BYTES = 1_000_000;

const MAX_DEPTH = 200;

/** The namespaces of WordprocessingML, transitional and strict (ISO/IEC 29500). */
const WORD_NAMESPACES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
  'http://purl.oclc.org/ooxml/wordprocessingml/main',
]);
const COMPATIBILITY_NAMESPACE = 'http://schemas.openxmlformats.org/markup-compatibility/2006';

/**
 * The words of a Word document: its paragraphs, tabs and line breaks. Headers, notes and deleted text are left out.
 * Nothing is written, no entity is expanded, and reading stops as soon as a limit is passed.
 *
 * @throws DocxFault
 */
export async function readDocx(bytes: Uint8Array, maxCharacters: number): Promise<string> {
  let zip: ZipFile | undefined;
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    zip = await fromBufferPromise(buffer, { lazyEntries: true });
    const entry = await findDocument(zip);
    return await readEntry(zip, entry, maxCharacters);
  } catch (error) {
    throw error instanceof DocxFault ? error : new DocxFault('damaged', { cause: error });
  } finally {
    zip?.close();
  }
}

async function findDocument(zip: ZipFile): Promise<Entry> {
  if (zip.entryCount > MOST_ENTRIES) throw new DocxFault('oversized');
  for await (const entry of zip.eachEntry()) {
    if (/^word\/document\d*\.xml$/i.test(entry.fileName)) return entry;
  }
  throw new DocxFault('not_word');
}

async function readEntry(zip: ZipFile, entry: Entry, maxCharacters: number): Promise<string> {
  if (entry.isEncrypted()) throw new DocxFault('encrypted');
  const { compressedSize, uncompressedSize } = entry;
  const isPacked = uncompressedSize > RATIO_FROM_BYTES && uncompressedSize > compressedSize * MAX_RATIO;
  if (uncompressedSize > MAX_XML_BYTES || isPacked) throw new DocxFault('oversized');
  const reader = createTextReader(maxCharacters);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    size += chunk.byteLength;
    // The directory may lie about the size.
    if (size > MAX_XML_BYTES) throw new DocxFault('oversized');
    reader.push(decoder.decode(chunk, { stream: true }));
  }
  reader.push(decoder.decode());
  return reader.end();
}

/** Collects the text of WordprocessingML. Its methods throw for XML that is not well-formed, and past the limit. */
function createTextReader(maxCharacters: number): { push(xml: string): void; end(): string } {
  const parser = new SaxesParser({ xmlns: true });
  const open: { name: string; skipped: boolean }[] = [];
  let text = '';
  let isWord = false;

  const add = (more: string) => {
    text += more;
    if (text.length > maxCharacters) throw new DocxFault('too_long');
  };
  const parent = () => open.at(-1);

  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    // Word writes none; one can only be there for its entities.
    throw new DocxFault('damaged');
  });
  parser.on('opentag', (tag: SaxesTagNS) => {
    if (open.length >= MAX_DEPTH) throw new DocxFault('damaged');
    const name = WORD_NAMESPACES.has(tag.uri) ? tag.local : '';
    const isTwin = tag.uri === COMPATIBILITY_NAMESPACE && tag.local === 'Fallback';
    const skipped = parent()?.skipped === true || isTwin || name === 'del' || name === 'moveFrom';
    if (name === 'document') isWord = true;
    // A tab in the properties of a paragraph is a tab stop and no character.
    if (!skipped && parent()?.name === 'r') add(characterOf(name));
    open.push({ name, skipped });
  });
  parser.on('text', (words) => {
    const current = parent();
    if (current?.name === 't' && !current.skipped) add(words);
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed?.name === 'p' && !closed.skipped) add('\n');
  });
  return {
    push: (xml) => {
      parser.write(xml);
    },
    end: () => {
      parser.close();
      if (!isWord) throw new DocxFault('not_word');
      return text;
    },
  };
}

function characterOf(element: string): string {
  if (element === 'tab') return '\t';
  if (element === 'br' || element === 'cr') return '\n';
  return element === 'noBreakHyphen' ? '-' : '';
}
