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
