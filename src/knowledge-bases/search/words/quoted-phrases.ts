import { foldedText, spacedText } from '../../../kernel';

const QUOTED = /"([^"\n]{2,200})"|“([^”\n]{2,200})”|«([^»\n]{2,200})»|„([^“”\n]{2,200})[“”]/g;
const MOST = 5;

/** White space, punctuation and case do not count. */
const comparable = (text: string): string =>
  ` ${(
    spacedText(foldedText(text))
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ')} `;

/** Phrases in quotation marks, for `hasPhrases`. */
export const quotedPhrases = (question: string): string[] =>
  [...question.matchAll(QUOTED)]
    .map(([, ...groups]) => comparable(groups.find((group) => group !== undefined) ?? ''))
    .filter((phrase) => phrase.trim() !== '')
    .slice(0, MOST);

/** Whether a text has each phrase word for word. */
export function hasPhrases(text: string, phrases: readonly string[]): boolean {
  const words = comparable(text);
  return phrases.every((phrase) => words.includes(phrase));
}
