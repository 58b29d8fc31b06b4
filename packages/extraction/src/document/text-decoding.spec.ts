import { decodeAs, detectEncoding } from './text-decoding';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('detectEncoding', () => {
  it.each([
    ['ASCII', Buffer.from('plain'), 'utf-8'],
    ['UTF-8', Buffer.from('añó €😀'), 'utf-8'],
    ['UTF-16, little end first', Buffer.from('\ufeffhé', 'utf16le'), 'utf-16le'],
    ['UTF-16, big end first', Buffer.from('\ufeffhé', 'utf16le').swap16(), 'utf-16be'],
    ['Windows-1252', latin('La evaluaci\xf3n dice \x93s\xed\x94'), 'windows-1252'],
    ['half a UTF-16 character', Buffer.concat([Buffer.from('\ufeffa', 'utf16le'), Buffer.from([1])]), null],
    ['NUL in UTF-8', Buffer.from('a\0b'), null],
    ['a byte that Windows-1252 does not have', latin('so\x81so'), null],
    ['control characters beside high bytes', latin('caf\xe9\x01'), null],
    ['mostly high bytes (another alphabet)', latin('\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0'), null],
  ])('%s', (_, bytes, encoding) => expect(detectEncoding(bytes)).toBe(encoding));
});

describe('decodeAs', () => {
  it('drops a byte order mark', () => {
    expect(decodeAs(Buffer.from('\ufeffa'), 'utf-8')).toBe('a');
    expect(decodeAs(Buffer.from('\ufeffhé😀', 'utf16le'), 'utf-16le')).toBe('hé😀');
  });

  it('reads what Windows-1252 has and Latin-1 has not', () => {
    expect(decodeAs(latin('\x80 \x93quoted\x94 \x96 caf\xe9\x85'), 'windows-1252')).toBe('€ “quoted” – café…');
  });

  it('refuses half a pair of UTF-16', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0x3d, 0xd8]);
    expect(() => decodeAs(bytes, 'utf-16le')).toThrow(expect.objectContaining({ code: 'document.encoding' }));
  });
});
