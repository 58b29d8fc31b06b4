import { terminalJson, terminalLine, terminalText } from './terminal-text';

const CLIPBOARD = '\u001b]52;c;ZXZpbA==\u0007';

describe('text for a terminal', () => {
  it('keeps words and lines, and nothing that a terminal obeys', () => {
    expect(terminalText(`a\tb\r\n${CLIPBOARD}c\u009b2Jd\u007f\ré 漢 😀`)).toBe('a\tb\n ]52;c;ZXZpbA== c 2Jd é 漢 😀');
    expect(terminalText('user\u202Etxt.exe\u2069\u2066!')).toBe('user txt.exe !');
  });

  it('is one line where only one is wanted', () => {
    expect(terminalLine('a\n\tb\u001b[1A')).toBe('a b [1A');
  });

  it('means the same as JSON', () => {
    const value = { name: `${CLIPBOARD}\u009b2J\u202E\u007f` };
    const json = terminalJson(JSON.stringify(value));
    expect(json).toMatch(/^[\u0020-\u007E]+$/);
    expect(JSON.parse(json)).toEqual(value);
  });
});
