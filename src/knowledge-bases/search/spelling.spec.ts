import { candidatesFor, isCorrectable, isNearStem, trigramSimilarity } from '../retrieval/question/spelling-corrector';

describe('words with one error', () => {
  it.each([
    ['levle', 'level'],
    ['comit', 'commit'],
    ['committ', 'commit'],
    ['isolaton', 'isolation'],
    ['isollation', 'isolation'],
    ['osolation', 'isolation'],
    ['siolation', 'isolation'],
  ])('%s may mean %s', (word, meant) => expect(candidatesFor(word)).toContain(meant));

  it.each([
    ['house', 'mouse'],
    ['lamp', 'lamps'],
  ])('%s is too short to mean %s', (word, other) => expect(candidatesFor(word)).not.toContain(other));

  it('have a bounded number of candidates', () => {
    expect(candidatesFor('abcdefghijklmnopqrst').length).toBeLessThan(1_200);
  });

  it.each(['the', 'x'.repeat(21), 'синий', 'a1b2c3'])('%s is not corrected', (word) =>
    expect(isCorrectable(word)).toBe(false),
  );
});

describe('the stem of a long word', () => {
  it.each([
    ['exsistensial', 'existenti'],
    ['fotosintezis', 'fotosintesi'],
  ])('of %s is near %s', (word, stem) => expect(isNearStem(word, stem)).toBe(true));

  it.each([
    ['relational', 'relationship'],
    ['structure', 'string'],
  ])('of %s is not near %s', (word, stem) => expect(isNearStem(word, stem)).toBe(false));
});

it('compares words by their trigrams, as pg_trgm does', () => {
  expect(trigramSimilarity('word', 'words')).toBeCloseTo(0.571, 3);
  expect(trigramSimilarity('level', 'level')).toBe(1);
  expect(trigramSimilarity('level', 'other')).toBe(0);
});
