import { type Expectation, normalized, passedIf } from '../../contract';

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
    config_schema: {
      type: 'object',
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: 2_000,
          pattern: '\\S',
          title: 'Text',
          'x-texts': { es: { title: 'Texto' }, ca: { title: 'Text' }, eu: { title: 'Testua' } },
        },
      },
      required: ['text'],
      additionalProperties: false,
    },
  },
  check: ({ text }, { answer }) => passedIf(normalized(answer).includes(normalized(text)), ''),
};
