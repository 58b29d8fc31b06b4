/** Share of the statement's words that must occur: models change endings and leave out words when they quote. */
const SHARE = 0.6;

/** True when the text probably contains the statement, judged by shared words. */
export function standsIn(text: string, statement: string): boolean {
  const words = wordsOf(statement);
  if (words.length === 0) return false;
  const present = new Set(wordsOf(text));
  return words.filter((word) => present.has(word)).length >= SHARE * words.length;
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
