/** Control characters, line and paragraph separators, and overrides and isolates of the writing direction (UAX #9). */
const UNFIT = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu;

/** Says why a text cannot be a name; goes after the name of the field. */
export const NAME_RULE =
  'must not hold line breaks, other control characters or characters that turn the writing direction';

/** True for a text that is shown as it is stored: on one line, and in the order of its characters. */
export const isPlainName = (text: string): boolean => text.search(UNFIT) === -1;

/** A name from elsewhere: each run of unfit characters becomes a space. */
export const cleanName = (text: string): string => text.replaceAll(UNFIT, ' ').trim();
