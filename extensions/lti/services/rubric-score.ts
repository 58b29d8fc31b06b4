/** A mark that an answer gives, as rubrics ask for it: `Total: 7.5 of 10`. */
export interface RubricScore {
  readonly score: number;
  readonly maximum: number;
}

/** `7.5 of 10`, `7,5 / 10`, `7.5 out of 10`, in the four languages of the service. */
const MARK = /(\d{1,6}(?:[.,]\d{1,3})?)\s*(?:\/|of|out of|de|sobre)\s*(\d{1,6}(?:[.,]\d{1,3})?)/i;
const TOTAL =
  /\b(?:total|sum|overall|final|score|grade|suma|nota|puntuación|puntuació|calificación|qualificació|guztira|batura|azken|puntuazioa|kalifikazioa)\b/i;
const MOST_POINTS = 100_000;

/** The mark of the last line that names a total; null where the answer gives none. Lines of single criteria do not count. */
export function rubricScoreIn(answer: string): RubricScore | null {
  for (const line of plain(answer).split('\n').reverse()) {
    const [, score = '', maximum = ''] = (TOTAL.test(line) && MARK.exec(line)) || [];
    const mark = { score: numberOf(score), maximum: numberOf(maximum) };
    if (maximum !== '' && mark.maximum > 0 && mark.score <= mark.maximum && mark.maximum <= MOST_POINTS) return mark;
  }
  return null;
}

/** Without the Markdown of emphasis and tables. */
const plain = (text: string): string => text.replaceAll(/[*_`|]/g, ' ').replaceAll(/[ \t]+/g, ' ');

const numberOf = (text: string): number => Number(text.replace(',', '.'));
