import { type Expectation, normalized, passedIf, textSchema } from '../../contract';

interface Config {
  readonly text: string;
}

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
};
