import { foreignLanguages, worded } from './wordings';

const base = (id: string, ...languages: string[]) => ({ id, language: null, languages, indexVersion: 2 });
const spanish = { language: 'es', scores: { es: 0.8, ca: 0.7 } };
const asked = (more: object = {}) => ({
  text: '¿qué es la ósmosis?',
  language: spanish,
  translations: new Map(),
  ...more,
});

it('asks knowledge bases of one language in one wording, so that their words are counted together', () => {
  expect(worded([base('a', 'es'), base('b', 'es')], asked())).toEqual({
    wordings: [{ configuration: 'spanish', text: '¿que es la osmosis?', spoken: 'spanish' }],
    scopes: [
      { id: 'a', number: 1 },
      { id: 'b', number: 1 },
    ],
  });
});

it('asks a knowledge base of several languages in each, the question’s own first', () => {
  const { wordings, scopes } = worded([base('a', 'en', 'es')], asked());
  expect(wordings.map(({ configuration, spoken }) => [configuration, spoken])).toEqual([
    ['spanish', 'spanish'],
    ['english', 'spanish'],
  ]);
  expect(scopes).toEqual([
    { id: 'a', number: 1 },
    { id: 'a', number: 2 },
  ]);
});

it('asks in a translation where there is one', () => {
  const { wordings } = worded([base('a', 'en')], asked({ translations: new Map([['en', 'What is osmosis?']]) }));
  expect(wordings).toEqual([
    { configuration: 'english', text: 'What is osmosis?', spoken: 'english', isTranslation: true },
  ]);
});

it('takes a question whose language cannot be told for one in the language of the material', () => {
  const { wordings } = worded([base('a', 'en')], asked({ language: null }));
  expect(wordings).toMatchObject([{ configuration: 'english', spoken: 'english' }]);
  expect(foreignLanguages([base('a', 'en')], null)).toEqual([]);
});

it('names the languages that the question is not in', () => {
  const bases = [base('a', 'es', 'en'), base('b', 'eu'), base('c', 'simple'), base('d')];
  expect(foreignLanguages(bases, spanish)).toEqual(['en', 'eu']);
});

it('takes a related language that is as likely for the same', () => {
  const near = { language: 'es', scores: { es: 0.8, ca: 0.79 } };
  expect(foreignLanguages([base('a', 'ca')], near)).toEqual([]);
});
