/** What a terminal obeys instead of showing: control characters but line feed and tab, and overrides of direction. */
const OBEYED = /(?:[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc})+/gu;

const NOT_ESCAPED = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Text that may hold foreign words, on its way to a terminal: each run of what it would obey becomes a space. */
export const terminalText = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(OBEYED, ' ');

/** The same on one line. */
export const terminalLine = (text: string): string => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');

/** JSON of the same meaning, with those characters escaped that `JSON.stringify` leaves as they are. */
export const terminalJson = (json: string): string =>
  json.replaceAll(NOT_ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
