/** A translation is rarely so many times longer or shorter than its text. */
const MOST_TIMES = 4;
const SHORT_CHARS = 40;

/** One line of text with letters, of a length that a translation can have; null for anything else. */
export function checkedTranslation(raw: unknown, text: string): string | null {
  if (typeof raw !== 'string') return null;
  const said = raw.toWellFormed().replace(/\s+/g, ' ').trim();
  if (!/\p{L}/u.test(said) || said.length > MOST_TIMES * text.length + SHORT_CHARS) return null;
  return text.length > MOST_TIMES * said.length + SHORT_CHARS ? null : said;
}
