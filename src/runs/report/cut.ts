const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Cuts to at most `max` UTF-16 units and `...` (spec 000 §3.4.1), never between the halves of a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max;
  return `${text.slice(0, end)}...`;
}

/** Replaces NUL and lone surrogates, which PostgreSQL's text and jsonb refuse or change, by U+FFFD. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.replace(LONE_SURROGATE, '\uFFFD');
  return whole.includes('\u0000') ? whole.replaceAll('\u0000', '\uFFFD') : whole;
}
