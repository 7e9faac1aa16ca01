import { describe, expect, it } from 'vitest';
import { AppError } from '#server/lib/app-error.ts';
import { readDocument } from './read-document.ts';
import { documentXml, docxOf, paragraph, WORD, zipOf } from './testing/word-fixtures.ts';

async function refusalOf(bytes: Uint8Array, name: string): Promise<string> {
  const error = await readDocument(bytes, name).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe('bad_request');
  return (error as AppError).message;
}

describe('text files', () => {
  const words = 'Café 灯塔\nZeile zwei 🦊';

  it.each([
    ['UTF-8', Buffer.from(words)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${words}`)],
    ['UTF-16LE', Buffer.from(`\ufeff${words}`, 'utf16le')],
    ['UTF-16BE', Buffer.from(`\ufeff${words}`, 'utf16le').swap16()],
    ['line ends of other systems', Buffer.from(words.replace('\n', '\r\n'))],
  ])('are read: %s', async (_name, bytes) => {
    expect(await readDocument(bytes, 'story.txt')).toEqual({ text: words });
  });

  it('keep the marks of Markdown and their tabs, and lose control characters', async () => {
    expect(await readDocument(Buffer.from('# One\n\n\t- two\u0007\u001b[0m\n'), 'Story.MD')).toEqual({
      text: '# One\n\n\t- two[0m',
    });
  });

  it.each([
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), 'UTF-8'],
    ['Latin-1', Buffer.from('Café', 'latin1'), 'UTF-8'],
    ['half a character', Buffer.from('灯').subarray(0, 2), 'UTF-8'],
    ['NUL bytes', Buffer.from('a\0b'), 'UTF-8'],
    ['nothing', Buffer.alloc(0), 'empty'],
    ['only spaces', Buffer.from(' \n\t '), 'no text'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'PDF'],
    ['RTF', Buffer.from('{\\rtf1 x}'), 'RTF'],
    ['too much', Buffer.from('x'.repeat(200_001)), '200,000 characters'],
    ['far too much', Buffer.alloc(25_000_001, 'x'), 'larger than 25 MB'],
  ])('are refused: %s', async (_name, bytes, message) => {
    expect(await refusalOf(bytes, 'story.txt')).toContain(message);
  });

  it('may be as long as allowed', async () => {
    expect((await readDocument(Buffer.from('x'.repeat(200_000)), 'a.txt')).text.length).toBe(200_000);
  });

  it('are told by their names', async () => {
    expect(await refusalOf(Buffer.from('x'), 'story.odt')).toContain('.docx');
    expect(await refusalOf(Buffer.from('x'), 'story')).toContain('.docx');
  });
});

describe('Word documents', () => {
  it('give paragraphs, tabs and line breaks', async () => {
    const body = [
      paragraph('Erste &amp; 第一 &#x1F98A;'),
      '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>',
      '<w:hyperlink><w:r><w:t> link</w:t></w:r></w:hyperlink></w:p>',
      `<w:tbl><w:tr><w:tc>${paragraph('cell')}</w:tc></w:tr></w:tbl>`,
    ].join('');
    expect(await readDocument(await docxOf(body), 'story.docx')).toEqual({
      text: 'Erste & 第一 🦊\na\tb\nc link\ncell',
    });
  });

  it('leave out what was deleted or moved away, field codes and the twin of newer content', async () => {
    const body = [
      '<w:p><w:del><w:r><w:delText>gone</w:delText><w:tab/></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>',
      '<w:p><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>',
      '<w:p><w:r><mc:AlternateContent><mc:Choice><w:r><w:t>box</w:t></w:r></mc:Choice>',
      '<mc:Fallback><w:r><w:t>box</w:t></w:r></mc:Fallback></mc:AlternateContent></w:r></w:p>',
    ].join('');
    expect(await readDocument(await docxOf(body), 'story.docx')).toEqual({ text: 'new\n\nbox' });
  });

  it('are found behind many other entries', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`word/media/${index}.png`, 'x']),
    );
    const bytes = await zipOf({ ...others, 'word/document2.xml': documentXml(paragraph('here')) });
    expect(await readDocument(bytes, 'story.docx')).toEqual({ text: 'here' });
  });

  it('are read in the strict form', async () => {
    const xml = documentXml(paragraph('strict')).replaceAll(
      WORD,
      'http://purl.oclc.org/ooxml/wordprocessingml/main',
    );
    expect(await readDocument(await zipOf({ 'word/document.xml': xml }), 'a.docx')).toEqual({
      text: 'strict',
    });
  });

  it('are refused when they unpack to very much', async () => {
    const bomb = await docxOf(paragraph('a'.repeat(40_000_000)));
    expect(bomb.byteLength).toBeLessThan(100_000);
    expect(await refusalOf(bomb, 'story.docx')).toContain('too large');
  });

  it('are refused when the directory lies about their size', async () => {
    const honest = await docxOf(paragraph('a'.repeat(40_000_000)));
    // The size in the central directory: 4 bytes at 24 of the entry of word/document.xml.
    const entry = honest.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1'));
    const lying = Buffer.from(honest);
    lying.writeUInt32LE(1_000, entry + 24);
    expect(await refusalOf(lying, 'story.docx')).toContain('damaged');
  });

  it('are refused with a document type, whatever its entities are', async () => {
    const laughs =
      '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>';
    expect(await refusalOf(await docxOf(paragraph('&b;&f;'), laughs), 'story.docx')).toContain('damaged');
    expect(await refusalOf(await docxOf(paragraph('&b;')), 'story.docx')).toContain('damaged');
    expect(await refusalOf(await docxOf(paragraph('x'), laughs), 'story.docx')).toContain('damaged');
  });

  it.each([
    ['no document in it', () => zipOf({ 'xl/workbook.xml': '<x/>' }), 'no Word text'],
    ['another document', () => zipOf({ 'word/document.xml': '<html/>' }), 'no Word text'],
    ['XML that breaks off', () => docxOf('<w:p><w:r><w:t>x'), 'damaged'],
    ['bytes that are no XML', () => zipOf({ 'word/document.xml': Buffer.from([0xff, 0xfe, 0]) }), 'damaged'],
    ['endless nesting', () => docxOf(`${'<w:p>'.repeat(300)}x${'</w:p>'.repeat(300)}`), 'damaged'],
    ['no words', () => docxOf('<w:p/>'), 'no text'],
    ['too many words', () => docxOf(paragraph('word '.repeat(1_000)).repeat(50)), '200,000 characters'],
    ['half an archive', async () => (await docxOf(paragraph('x'))).subarray(0, 200), 'damaged'],
    ['text', async () => Buffer.from('hello'), 'not a Word document'],
    ['an old or locked document', async () => Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), 'password'],
  ])('are refused: %s', async (_name, make, message) => {
    expect(await refusalOf(await make(), 'story.docx')).toContain(message);
  });

  it('are refused when an entry is encrypted', async () => {
    const bytes = await docxOf(paragraph('x'));
    for (const signature of ['PK\x01\x02', 'PK\x03\x04']) {
      const at = bytes.lastIndexOf(Buffer.from(signature, 'latin1'));
      const flags = at + (signature === 'PK\x01\x02' ? 8 : 6);
      bytes.writeUInt16LE(bytes.readUInt16LE(flags) | 1, flags);
    }
    expect(await refusalOf(bytes, 'story.docx')).toContain('password');
  });

  it('never read a file beside them', async () => {
    const bytes = await zipOf({ 'ab/cd/word/document.xml': documentXml(paragraph('out')) });
    for (let at = bytes.indexOf('ab/cd/'); at >= 0; at = bytes.indexOf('ab/cd/')) bytes.write('../../', at);
    expect(await refusalOf(bytes, 'story.docx')).toContain('damaged');
  });
});
