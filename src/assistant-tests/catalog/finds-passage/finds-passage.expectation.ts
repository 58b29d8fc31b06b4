import { type Expectation, normalized, passedIf, type TestedAnswer, textSchema } from '../../contract';

interface Config {
  readonly text: string;
}

const PROPOSED = 2;
const PROPOSED_CHARS = 120;

const titlesOf = ({ passages }: TestedAnswer): string => [...new Set(passages.map(({ title }) => title))].join('; ');

/** The tools find a text in the material. */
export const FINDS_PASSAGE: Expectation<Config> = {
  definition: {
    name: 'finds_passage',
    checked_by: 'exact',
    texts: {
      en: { name: 'Finds a passage', about: 'A passage that the tools find contains this text.' },
      es: {
        name: 'Encuentra un fragmento',
        about: 'Un fragmento que encuentran las herramientas contiene este texto.',
      },
      ca: { name: 'Troba un fragment', about: 'Un fragment que troben les eines conté aquest text.' },
      eu: { name: 'Pasarte bat aurkitzen du', about: 'Tresnek aurkitutako pasarte batek testu hau dauka.' },
    },
    config_schema: textSchema({
      en: 'Text of the passage',
      es: 'Texto del fragmento',
      ca: 'Text del fragment',
      eu: 'Pasartearen testua',
    }),
  },
  check: ({ text }, answer) => {
    const wanted = normalized(text);
    return passedIf(
      answer.passages.some((passage) => normalized(passage.text).includes(wanted)),
      titlesOf(answer),
    );
  },
  propose: ({ passages }) =>
    passages
      .map(({ text }) => text.trim().slice(0, PROPOSED_CHARS).toWellFormed().trim())
      .filter((text) => text !== '')
      .slice(0, PROPOSED)
      .map((text) => ({ text })),
};
