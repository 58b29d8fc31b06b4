import { hasPhrases, quotedPhrases } from './searchable-text';

it.each([
  ['what is an "Isolation Level"?', [' isolation level ']],
  ['«nivell d’aïllament» i “read committed”', [' nivell d aillament ', ' read committed ']],
  ['„Photosynthese“', [' photosynthese ']],
  ['5" and 7', []],
  ['"…"', []],
])('finds the phrases of %j', (question, phrases) => expect(quotedPhrases(question)).toEqual(phrases));

it('compares them word for word, whatever the punctuation', () => {
  const phrases = quotedPhrases('"isolation level"');
  expect(hasPhrases('The *isolation*\nLevel of a transaction', phrases)).toBe(true);
  expect(hasPhrases('isolation levels', phrases)).toBe(false);
  expect(hasPhrases('level isolation', phrases)).toBe(false);
});
