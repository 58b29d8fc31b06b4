/** Soft hyphens, zero-width spaces and joiners, marks of the writing direction (Unicode, Default_Ignorable_Code_Point). */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

/** The text without characters that nobody sees, accents composed. */
export const visibleText = (text: string): string => text.replace(INVISIBLE, '').normalize('NFC');

/** Catalan l·l, also written ŀl or with look-alike dots. The text-search parser would split the word at the dot. */
const GEMINATE_L = /(?:l[·•‧⋅]|ŀ)l/gi;
/** An ellipsis separates words; its compatibility form, three dots, would join them. */
const ELLIPSIS = /[…‥]/g;
const NO_BREAK_HYPHEN = /[\u2010\u2011]/g;
/** Accents of Latin and Greek letters. Marks of other scripts are letters there. */
const ACCENTS = /(?<=[\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu;
// eslint-disable-next-line no-control-regex -- the first 127 characters but NUL
const PLAIN = /^[\x01-\x7f]*$/;

/**
 * The form in which words of documents and questions are compared: well formed, without NUL, invisible characters and accents;
 * ligatures, full-width letters and presentation forms as plain letters (NFKC). "fotosintesi" finds "fotosíntesi".
 */
export function foldedText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll('\0', ' ')
    .replace(INVISIBLE, '')
    .replace(GEMINATE_L, 'll')
    .replace(ELLIPSIS, ' ')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(NO_BREAK_HYPHEN, '-')
    .replaceAll('ς', 'σ')
    .normalize('NFC');
}

/** Scripts without blanks between words, and Hangul, whose particles stand at the word: a dictionary is of no help. */
const PAIRED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆`;
/** Scripts without blanks, whose words are told by a dictionary. */
const SEGMENTED = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const RUN = new RegExp(`[${PAIRED}]+|[${SEGMENTED}]+`, 'gu');
const IS_SEGMENTED = new RegExp(`^[${SEGMENTED}]`, 'u');
const segmenter = new Intl.Segmenter('th', { granularity: 'word' });
/** The segmenter looks at the whole of a run: hostile ones are cut. */
const MOST_SEGMENTED = 1_000;

/** Each character with the next one: "光合作用" is 光合, 合作 and 作用. */
function pairs(run: string): string {
  const letters = Array.from(run);
  return letters.length < 3
    ? run
    : letters
        .slice(1)
        .map((letter, at) => (letters[at] ?? '') + letter)
        .join(' ');
}

function words(run: string): string {
  const found: string[] = [];
  for (let at = 0; at < run.length; at += MOST_SEGMENTED) {
    for (const { segment } of segmenter.segment(run.slice(at, at + MOST_SEGMENTED))) found.push(segment);
  }
  return found.join(' ');
}

/** A folded text with blanks between the words of scripts that have none: pairs of characters, or words of a dictionary. */
export const spacedText = (text: string): string =>
  text.replace(RUN, (run) => ` ${IS_SEGMENTED.test(run) ? words(run) : pairs(run)} `);

/** Control characters, line and paragraph separators, and overrides and isolates of the writing direction (UAX #9). */
const UNFIT = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** Reason why a text cannot be a name; follows the name of the field. */
export const NAME_RULE =
  'must not hold line breaks, other control characters or characters that turn the writing direction';

/** True for a text on one line that is shown in the order of its characters. */
export const isPlainName = (text: string): boolean => text.search(UNFIT) === -1;

/** A name as it is stored and compared: a Mac sends `é` as two characters, other systems as one. */
export const normalisedName = (name: string): string => name.normalize('NFC');

/** Cleans an imported name: each run of unfit characters becomes a space. */
export const cleanName = (text: string): string => text.replaceAll(UNFIT, ' ').trim();
