import fc from 'fast-check';
import { cutText, decodeStart, decodeText, sniffType } from './text';

describe('decodeText', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'empty'],
    ['NUL bytes', Buffer.from('a\0b'), 'binary'],
    ['UTF-16', Buffer.from('text', 'utf16le'), 'binary'],
    ['Latin-1', Buffer.from('fotosíntesi', 'latin1'), 'not_utf8'],
    ['an overlong slash', Buffer.from([0x2e, 0xc0, 0xaf]), 'not_utf8'],
    ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), 'not_utf8'],
  ])('refuses %s', (_name, bytes, reason) => expect(decodeText(bytes)).toEqual({ ok: false, reason }));

  it('drops a byte order mark and keeps everything else', () => {
    expect(decodeText(Buffer.from('\ufefffotosíntesi 😀\r\n'))).toEqual({ ok: true, text: 'fotosíntesi 😀\r\n' });
  });
});

describe('decodeStart', () => {
  const bytes = Buffer.from('\ufeffa😀');

  it('drops the character that is cut off at the end', () => {
    const texts = [4, 5, 6, 7, 8].map((end) => decodeStart(bytes.subarray(0, end)));
    expect(texts).toEqual(['a', 'a', 'a', 'a', 'a😀'].map((text) => ({ ok: true, text })));
  });

  it('refuses what is no text before its end', () => {
    expect(decodeStart(Buffer.from([0xe9, 0x61]))).toEqual({ ok: false, reason: 'not_utf8' });
    expect(decodeStart(Buffer.from('a\0'))).toEqual({ ok: false, reason: 'binary' });
  });
});

describe('cutText', () => {
  it('never keeps half a surrogate pair', () => {
    expect(cutText('a😀b', 2)).toBe('a');
    expect(cutText('a😀b', 3)).toBe('a😀');
    expect(cutText('😀', 1)).toBe('');
  });

  it('for any text: a well-formed prefix, at most as long as asked, and one shorter only for a pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 0, max: 20 }), (text, max) => {
        const cut = cutText(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(max, text.length) - 1);
      }),
    );
  });
});

describe('sniffType', () => {
  it.each([
    ['%PDF-1.7', 'notes.md', 'application/pdf'],
    ['PK\u0003\u0004...', 'notes.docx', 'application/zip'],
    ['<svg onload="x()">', 'logo.svg', 'text/plain'],
    ['<!doctype html>', 'page.pdf', 'text/plain'],
    ['# Title', 'notes.MD', 'text/markdown'],
    ['\0\u0001', 'notes.txt', 'application/octet-stream'],
  ])('calls %j named %s %s', (content, name, type) =>
    expect(sniffType(Buffer.from(content, 'latin1'), name)).toBe(type),
  );
});
