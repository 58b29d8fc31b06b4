import fc from 'fast-check';
import { piecesOf } from './text-pieces';

describe('pieces of a text', () => {
  it('are the text itself where it is short', () => {
    expect(piecesOf('Osmosis.', 600)).toEqual(['Osmosis.']);
    expect(piecesOf('   ', 600)).toHaveLength(1);
    expect(piecesOf('', 600)).toEqual(['']);
  });

  it('end between words where there is a gap', () => {
    expect(piecesOf('one two three four', 9)).toEqual(['one two', ' three', ' four']);
  });

  it('are never too long, never half a character, and together all of the words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 2, max: 50 }), (text, max) => {
        const pieces = piecesOf(text, max);
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(max);
          expect(piece.isWellFormed()).toBe(true);
        }
        expect(pieces.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
      }),
    );
  });
});
