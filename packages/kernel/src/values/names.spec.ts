import { cleanName, isPlainName } from './names';

const UNFIT: readonly [string, string][] = [
  ['a line feed', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['a tab', 'a\tb'],
  ['an escape sequence', 'a\u001Bb'],
  ['NUL', 'a\u0000b'],
  ['DEL', 'a\u007Fb'],
  ['a C1 control', 'a\u009Bb'],
  ['a line separator', 'a\u2028b'],
  ['a paragraph separator', 'a\u2029b'],
  ['a right-to-left override', 'a\u202Eb'],
  ['an embedding', 'a\u202Ab'],
  ['an isolate', 'a\u2066b'],
  ['the end of an isolate', 'a\u2069b'],
];

describe('a name', () => {
  it.each(UNFIT)('with %s is not plain and is cleaned', (_, name) => {
    expect(isPlainName(name)).toBe(false);
    expect(cleanName(name)).toBe('a b');
  });

  it.each(['Física I', 'שלום', 'مساق\u200F', '物理', 'Ünïcode – 1', '👩‍🏫 tutor', 'a  b'])('such as %s stays', (name) => {
    expect(isPlainName(name)).toBe(true);
    expect(cleanName(name)).toBe(name);
  });
});
