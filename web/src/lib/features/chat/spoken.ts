/** Longer answers are read by the reader, from their heading on. */
const LONGEST = 1_000;

/** An answer as a screen reader should say it: formulas once, without code and the words of buttons. */
export function spokenAnswer(drawn: Element | null): string {
  if (drawn === null) return '';
  const copy = drawn.cloneNode(true) as Element;
  for (const extra of copy.querySelectorAll('.katex-html, annotation, pre, button')) extra.remove();
  const text = copy.textContent.replace(/\s+/g, ' ').trim();
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}
