import { type Expectation, normalized, passedIf, type TestedAnswer, textSchema } from '../contract';

interface Config {
  readonly text: string;
}

const PROPOSED = 2;
const PROPOSED_CHARS = 120;

/** Headings of Markdown at the beginning: a passage is known by its sentences. */
const HEADINGS = /^(?:[ \t]{0,3}#{1,6}[^\n]*\n\s{0,100})+/u;

/** At most what the answer cites by number; all where it cites nothing. */
function passagesCited({ answer, passages }: TestedAnswer): TestedAnswer['passages'] {
  const numbers = new Set(
    [...answer.matchAll(/\[([\d\s,;]{1,40})\]/gu)].flatMap(([, list = '']) => list.split(/[,;]/u).map(Number)),
  );
  const cited = passages.filter(({ n }) => n !== null && numbers.has(n));
  return cited.length === 0 ? passages : cited;
}

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
  propose: (answer) =>
    passagesCited(answer)
      .map(({ text }) => text.replace(HEADINGS, '').trim().slice(0, PROPOSED_CHARS).toWellFormed().trim())
      .filter((text) => text !== '')
      .slice(0, PROPOSED)
      .map((text) => ({ text })),
};
