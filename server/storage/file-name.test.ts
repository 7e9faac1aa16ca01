import { describe, expect, it } from 'vitest';
import { sanitiseFileName } from './file-name.ts';

describe('sanitiseFileName', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['Grüße 世界.png', 'Grüße 世界.png'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.png', 'a.png'],
    ['a\r\nSet-Cookie: x.png', 'aSet-Cookie x.png'],
    ['invoice\u202egnp.exe', 'invoicegnp.exe'],
    ['a\0b<c>.png', 'abc.png'],
    ['  . hidden . ', 'hidden'],
    ['a\ud800b.png', 'ab.png'],
    ['', 'file.png'],
    ['///', 'file.png'],
    ['..', 'file.png'],
  ])('%j becomes %j', (name, cleaned) => {
    expect(sanitiseFileName(name, 'png')).toBe(cleaned);
  });

  it('shortens a long name and keeps its ending', () => {
    const short = sanitiseFileName(`${'🎬'.repeat(300)}.jpeg`, 'jpg');
    expect([...short]).toHaveLength(120);
    expect(short.endsWith('🎬.jpeg')).toBe(true);
  });
});
