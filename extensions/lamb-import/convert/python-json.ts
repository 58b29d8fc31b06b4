/** Strings (up to the end of the text where one is not closed), words that are no JSON, and long integers. */
const PARTS = /"(?:[^"\\]|\\[^])*"?|-?\b(?:NaN|Infinity)\b|-?\b\d{16,}\b(?![.eE])/g;
/** A whole surrogate pair, half of one, or another escape. */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[^]/g;
const HALF_PAIR_LENGTH = '\\ud83d'.length;

const withoutHalves = (text: string): string =>
  text.replace(ESCAPES, (found) => (/^\\u/.test(found) && found.length === HALF_PAIR_LENGTH ? '\\ufffd' : found));

/**
 * Metadata as JSON allows it. Python also writes and reads NaN, Infinity and half surrogate pairs, and integers of any
 * length, which keep their digits in the text and are rounded when it is read. `changes` says what was found.
 */
export function withoutPythonJson(json: string): { readonly text: string; readonly changes: readonly string[] } {
  if (!/NaN|Infinity|\\u[dD]|\d{16}/.test(json)) return { text: json, changes: [] };
  const changes = new Set<string>();
  const text = json.replace(PARTS, (found) => {
    if (found.startsWith('"')) {
      const whole = withoutHalves(found);
      if (whole !== found) changes.add('half of a surrogate pair, which became U+FFFD');
      return whole;
    }
    if (!/^-?\d/.test(found)) {
      changes.add(`${found}, which became null`);
      return 'null';
    }
    if (!Number.isSafeInteger(Number(found))) changes.add(`the number ${found.slice(0, 40)}, which is rounded`);
    return found;
  });
  return { text, changes: [...changes] };
}
