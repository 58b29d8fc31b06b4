import fc from 'fast-check';
import { withoutNearDuplicates } from './select-passages';

const texts = (...items: string[]): string[] =>
  withoutNearDuplicates(items.map((text) => ({ text }))).map(({ text }) => text);

const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `word${from + n}`).join(' ');

describe('near-duplicates', () => {
  it('leaves the best-ranked of equal passages, whatever their case, spaces and punctuation', () => {
    expect(texts('Osmosis moves water through a membrane.', 'OSMOSIS: moves\nwater — through a membrane')).toEqual([
      'Osmosis moves water through a membrane.',
    ]);
  });

  it('takes a passage for known when nineteen of twenty words are', () => {
    const long = words(0, 200);
    expect(texts(long, long.replace('word100', 'other'))).toEqual([long]);
  });

  it('keeps passages that share an overlap only', () => {
    const chunks = [words(0, 100), words(90, 190), words(180, 280)];
    expect(texts(...chunks)).toEqual(chunks);
  });

  it('knows a passage again among many long ones', () => {
    const passages = Array.from({ length: 60 }, (_, n) => words(400 * n, 400 * (n + 1)));
    expect(texts(...passages, ...passages)).toEqual(passages);
  });

  it('leaves out a chunk that its two neighbours hold between them', () => {
    expect(texts(words(0, 100), words(100, 200), words(50, 150))).toHaveLength(2);
  });

  it('leaves out a short passage that a better one holds, and keeps a long one that holds a better short one', () => {
    const [short, long] = [words(20, 60), words(0, 300)];
    expect(texts(long, short)).toEqual([long]);
    expect(texts(short, long)).toEqual([short, long]);
  });

  it.each([
    ['Osmosis, part a.', 'Osmosis, part b.'],
    ['Question 1: 3 points', 'Question 2: 3 points'],
    ['$x_1$', '$x_2$'],
    ['+++', '---'],
    ['光合作用は葉緑体で行われる', '細胞呼吸は別の場所で行われる'],
    ['', ' . '],
  ])('keeps %j beside %j', (a, b) => expect(texts(a, b)).toEqual([a, b]));

  it('knows repeated text of scripts without spaces', () => {
    expect(texts('光合作用は葉緑体で行われる。', '光合作用は、葉緑体で行われる')).toHaveLength(1);
  });

  it('stops at as many as are wanted', () => {
    expect(withoutNearDuplicates([{ text: 'a' }, { text: 'a' }, { text: 'b' }, { text: 'c' }], 2)).toEqual([
      { text: 'a' },
      { text: 'b' },
    ]);
  });

  it('gives a part of its input in the same order, with the first of it, and nothing new when repeated', () => {
    const passage = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { maxLength: 12 })
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(fc.array(passage), (all) => {
        const items = all.map((text, place) => ({ text, place }));
        const kept = withoutNearDuplicates(items);
        const places = kept.map(({ place }) => place);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places.length === 0 ? items.length : places[0]).toBe(0);
        expect(withoutNearDuplicates([...kept, ...items])).toEqual(kept);
        expect(new Set(kept.map(({ text }) => text)).size).toBe(kept.length);
      }),
    );
  });
});
