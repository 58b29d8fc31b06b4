const SURROGATE = /[\ud800-\udfff]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Replaces what no UTF-8 body and no PostgreSQL text can hold, lone surrogates and NUL, by U+FFFD. The length and every
 * other character stay, so offsets into the text stay right.
 */
export function cleanText(text: string): string {
  const wellFormed = SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\ufffd') : text;
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed;
}

/** The first `max` UTF-16 units of a text, one less where that would split a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(max - 1, max + 1));
  return text.slice(0, splitsPair ? max - 1 : max);
}
