import { growthOf, LINEAR_GROWTH } from '../../../../test/support/cpu-time';
import { readCaptions } from './captions';

const LIMITS = {} as never;
const read = (text: string) => readCaptions({ bytes: Buffer.from(text), encoding: 'utf-8', limits: LIMITS });

describe('captions', () => {
  it('become one section per minute, headed by the time of its first words', () => {
    const { text, title } = read(
      [
        'WEBVTT - Cell biology',
        'STYLE\n::cue { color: red }',
        'NOTE not spoken',
        '1\n00:00.500 --> 00:03.000\n<v Ada>Cells &amp; <i>walls</i>',
        '00:59.000 --> 01:02.000 align:start\ndivide.',
        '01:01:05.000 --> 01:01:09.000\n# Osmosis',
      ].join('\r\n\r\n'),
    );
    expect(title).toBe('Cell biology');
    expect(text).toBe('## 0:00\n\nCells & walls divide.\n\n## 1:01:05\n\n\\# Osmosis');
  });

  it('leave out positions that SubRip takes from another format', () => {
    expect(read('1\n00:00:01,000 --> 00:00:02,000\n{\\an8}{\\i1}Salt {and} water{\\i0}').text).toContain(
      '\n\nSalt {and} water',
    );
  });

  it('leave out lines that rolling captions repeat', () => {
    const { text } = read(
      'WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n\n00:02.000 --> 00:03.000\nHello\nworld\n\n00:03.000 --> 00:04.000\nworld',
    );
    expect(text).toBe('## 0:01\n\nHello world');
  });

  it('of SubRip are read, too', () => {
    expect(read('1\n00:02:03,120 --> 00:02:05,000\nMagma rises.\n').text).toBe('## 2:03\n\nMagma rises.');
    const placed = '1\n00:02:03,120 --> 00:02:05,000\n{\\an8}{\\i1}Lava{\\i0} is {hot}.\n';
    expect(read(placed).text).toBe('## 2:03\n\nLava is {hot}.');
  });

  it('without words are no document', () => {
    expect(() => read('WEBVTT\n\n00:01.000 --> 00:02.000\n<c></c>')).toThrow('hold no words');
  });

  it('of a hostile site are read in linear time', () => {
    const hostile = (length: number): string =>
      `WEBVTT ${' '.repeat(length)}\n\n00:01.000 --> 00:02.000\n${'<'.repeat(length)}${'a<b'.repeat(length / 4)}`;
    expect(read(hostile(1_000)).text).toContain('a<b');
    expect(growthOf((length) => read(hostile(length)), 160_000)).toBeLessThan(LINEAR_GROWTH);
  });
});
