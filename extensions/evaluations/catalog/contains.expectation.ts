import { type Expectation, normalized, passedIf, type TestedAnswer, textSchema } from '../contract';

interface Config {
  readonly text: string;
}

/** Numbers in square brackets cite a source. */
const CITATION = /\[[\d\s,;]{1,40}\]/gu;
/** A figure with the word or unit beside it: `14 March`, `38 minutes`, `3.5`; not the number of a list item. */
const FIGURE = /(?<![\p{L}\p{N}.,])\d[\d.,:]{0,15}(?<=\d)(?: ?%| \p{L}{3,20})?(?![\p{L}\p{N}])/gu;

/** The key figure or date of an answer: the first one that the material has as well, and the question does not. */
function keyFigure({ question, answer, passages }: TestedAnswer): string | null {
  const asked = normalized(question);
  const found = normalized(passages.map(({ text }) => text).join('\n'));
  const figures = [...answer.replace(CITATION, '').matchAll(FIGURE)]
    .filter(({ 0: text, index }) => text.length > 1 && !isListNumber(answer, text, index))
    .map(([text]) => text)
    .filter((text) => !asked.includes(normalized(text)));
  return figures.find((text) => found.includes(normalized(text))) ?? figures[0] ?? null;
}

const isListNumber = (answer: string, text: string, index: number): boolean =>
  /^\d+$/u.test(text) &&
  answer.charAt(index + text.length) === '.' &&
  answer.slice(answer.lastIndexOf('\n', index) + 1, index).trim() === '';

/** The answer holds a text. */
export const CONTAINS: Expectation<Config> = {
  definition: {
    name: 'contains',
    checked_by: 'exact',
    texts: {
      en: { name: 'Contains', about: 'The answer contains this text. Upper and lower case count as equal.' },
      es: { name: 'Contiene', about: 'La respuesta contiene este texto. No distingue mayúsculas de minúsculas.' },
      ca: { name: 'Conté', about: 'La resposta conté aquest text. No distingeix majúscules de minúscules.' },
      eu: { name: 'Badauka', about: 'Erantzunak testu hau dauka. Maiuskulak eta minuskulak berdintzat hartzen dira.' },
    },
    config_schema: textSchema({ en: 'Text', es: 'Texto', ca: 'Text', eu: 'Testua' }),
  },
  check: ({ text }, { answer }) => passedIf(normalized(answer).includes(normalized(text)), ''),
  propose(answer) {
    const text = keyFigure(answer);
    return text === null ? [] : [{ text }];
  },
};
