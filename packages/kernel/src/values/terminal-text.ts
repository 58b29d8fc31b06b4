/** Characters that control a terminal: control characters but line feed and tab, and overrides of direction. */
const OBEYED = /(?:[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc})+/gu;

const NOT_ESCAPED = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/** Text for a terminal: each run of control characters becomes a space. */
export const terminalText = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(OBEYED, ' ');

/** The same on one line. */
export const terminalLine = (text: string): string => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ');

/** Equal JSON with escapes for those control characters that `JSON.stringify` keeps. */
export const terminalJson = (json: string): string =>
  json.replaceAll(NOT_ESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
