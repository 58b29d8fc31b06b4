/** A model may change an ending or leave out a word. */
const SHARE = 0.6;

/** Whether a text makes a statement, told by how many of the statement's words it holds. */
export function standsIn(text: string, statement: string): boolean {
  const words = wordsOf(statement);
  if (words.length === 0) return false;
  const present = new Set(wordsOf(text));
  return words.filter((word) => present.has(word)).length >= SHARE * words.length;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
