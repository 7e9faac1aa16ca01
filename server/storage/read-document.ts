import { AppError } from '#server/lib/app-error.ts';
import { DocxFault, readDocx } from './read-docx.ts';

/** Longest text that a document may hold, in characters. */
const MAX_DOCUMENT_CHARACTERS = 200_000;

const MAX_DOCUMENT_BYTES = 25_000_000;

const TEXT_NAMES = /\.(?:txt|text|md|markdown)$/i;
const WORD_NAMES = /\.docx$/i;

/**
 * The text of an uploaded story: plain text or Markdown (UTF-8, or UTF-16 with a byte order mark) or a Word document.
 * Lines end in a single line feed; control characters are dropped.
 *
 * @throws AppError `bad_request` with what to do about the file
 */
export async function readDocument(bytes: Uint8Array, fileName: string): Promise<{ text: string }> {
  if (bytes.byteLength === 0) throw refuse('The file is empty. Choose another one.');
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw refuse(`The file is larger than ${MAX_DOCUMENT_BYTES / 1_000_000} MB. Paste the text instead.`);
  }
  refuseOtherDocuments(bytes);
  if (WORD_NAMES.test(fileName)) {
    if (!startsWith(bytes, 'PK')) throw refuse('This is not a Word document. Save it as .docx, .txt or .md.');
    return finish(await readWord(bytes));
  }
  if (!TEXT_NAMES.test(fileName)) throw refuse('Choose a .txt, .md or .docx file.');
  return finish(decodeText(bytes));
}

/** What people often choose instead, told by its first bytes. */
function refuseOtherDocuments(bytes: Uint8Array): void {
  if (startsWith(bytes, '\xd0\xcf\x11\xe0')) {
    throw refuse(
      'This is a Word document of the old .doc kind, or one with a password. Save it as .docx without a password.',
    );
  }
  if (startsWith(bytes, '%PDF'))
    throw refuse('PDF files cannot be read. Save the text as .docx, .txt or .md.');
  if (startsWith(bytes, '{\\rtf'))
    throw refuse('RTF files cannot be read. Save the text as .docx, .txt or .md.');
}

const WORD_ADVICE: Readonly<Record<DocxFault['reason'], string>> = {
  damaged: 'The Word document is damaged. Open it, save it again as .docx and choose that file.',
  encrypted: 'The Word document has a password. Save it without one.',
  not_word: 'There is no Word text in this file. Save the document as .docx, .txt or .md.',
  oversized: 'The Word document is too large when unpacked. Save its text alone as .docx or .txt.',
  too_long: '',
};

async function readWord(bytes: Uint8Array): Promise<string> {
  try {
    return await readDocx(bytes, MAX_DOCUMENT_CHARACTERS);
  } catch (error) {
    if (!(error instanceof DocxFault)) throw error;
    throw error.reason === 'too_long' ? tooLong() : refuse(WORD_ADVICE[error.reason], error);
  }
}

function decodeText(bytes: Uint8Array): string {
  const encoding = startsWith(bytes, '\xff\xfe')
    ? 'utf-16le'
    : startsWith(bytes, '\xfe\xff')
      ? 'utf-16be'
      : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // The message below says what to do.
  }
  throw refuse('This is not a text file in UTF-8. Open it in an editor and save it as plain text in UTF-8.');
}

function finish(raw: string): { text: string } {
  const text = raw
    .replace(/\r\n?|\u2028|\u2029|\u0085/g, '\n')
    .replace(/(?![\n\t])\p{Cc}|\ufeff/gu, '')
    .trim();
  if (text === '') throw refuse('The file holds no text. Choose another one.');
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw tooLong();
  return { text };
}

const tooLong = () =>
  refuse(
    `The text is longer than ${MAX_DOCUMENT_CHARACTERS.toLocaleString('en')} characters. Split it into several parts.`,
  );

const refuse = (message: string, cause?: unknown) => new AppError('bad_request', message, { cause });

function startsWith(bytes: Uint8Array, latin1: string): boolean {
  return Buffer.from(bytes.subarray(0, latin1.length)).toString('latin1') === latin1;
}
