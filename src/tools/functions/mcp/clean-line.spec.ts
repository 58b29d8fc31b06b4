import { cleanLine } from './clean-declaration';
import { cpuTimeOf } from '../../../../test/support/cpu-time';

describe('a line of somebody else’s text', () => {
  it.each([
    ['several\r\n\tlines  and\u0000 controls', 'several lines and controls'],
    ['zero\u200bwidth\u2060and\ufeffmarks', 'zero width and marks'],
    ['turned \u202eround\u202c and \u2066isolated\u2069', 'turned round and isolated'],
    ['tags \u{e0049}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065} hidden', 'tags hidden'],
    ['selectors a\ufe0f\u{e0100}b', 'selectors a b'],
    ['fillers \u3164\u115f.', 'fillers .'],
    ['lone \ud800 surrogate', 'lone \ufffd surrogate'],
    ['Càlcul → 𝛑 ≈ 3,14 🙂 und 日本語', 'Càlcul → 𝛑 ≈ 3,14 🙂 und 日本語'],
    ['  \n ', ''],
  ])('shows all that it says: %j', (text, line) => {
    expect(cleanLine(text, 200)).toBe(line);
  });

  it('is cut, and megabytes cost nothing', () => {
    expect(cleanLine('abcdef', 4)).toBe('abc…');
    expect(cleanLine('🙂🙂🙂', 4)).toBe('🙂…');
    const huge = '\u200b x'.repeat(2_000_000);
    const took = cpuTimeOf(() => expect(cleanLine(huge, 100).length).toBeLessThanOrEqual(100));
    expect(took).toBeLessThan(500);
  });
});
