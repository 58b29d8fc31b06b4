import { type Expectation, normalized, passedIf, textSchema } from '../contract';

interface Config {
  readonly text: string;
}

const AROUND = 40;

/** The answer does not hold a text. */
export const LACKS: Expectation<Config> = {
  definition: {
    name: 'lacks',
    checked_by: 'exact',
    texts: {
      en: { name: 'Does not contain', about: 'This text is nowhere in the answer.' },
      es: { name: 'No contiene', about: 'Este texto no aparece en la respuesta.' },
      ca: { name: 'No conté', about: 'Aquest text no apareix a la resposta.' },
      eu: { name: 'Ez dauka', about: 'Testu hau ez dago erantzunean.' },
    },
    config_schema: textSchema({ en: 'Text', es: 'Texto', ca: 'Text', eu: 'Testua' }),
  },
  check: ({ text }, { answer }) => {
    const said = normalized(answer);
    const at = said.indexOf(normalized(text));
    return passedIf(at === -1, at === -1 ? '' : said.slice(Math.max(0, at - AROUND), at + text.length + AROUND));
  },
};
