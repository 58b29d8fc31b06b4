import type { LanguageDetector } from '../infrastructure/languages';
import type { ToolOutcome } from '../tools';
import { SearchNotes } from './join-outcomes';

const outcome = (content: string, more: object = {}): ToolOutcome =>
  ({ status: 'completed', content, chars: content.length, ...more }) as unknown as ToolOutcome;
const weak = { saysFit: true, search: { match: { strength: 0.1, weak: true } } };
const good = { saysFit: true, search: { match: { strength: 0.9, weak: false } } };

function factsIn(language: string | null) {
  const asked: string[] = [];
  const among = (text: string) => {
    asked.push(text);
    return Promise.resolve(language);
  };
  return { facts: new SearchNotes({ among } as unknown as LanguageDetector), asked };
}

const contents = async (outcomes: readonly ToolOutcome[], language: string | null = 'en') =>
  (await factsIn(language).facts.told(outcomes, 'Answer kindly.')).map((each) => 'content' in each && each.content);

it('tell a weak match before its passages, and that there are none', async () => {
  expect(
    await contents([outcome('passage', weak), outcome('', weak), outcome('other', good), outcome('file')]),
  ).toEqual([
    'Note: the passages below share few words with the question. They may not answer it.\n\npassage',
    'Note: no passage of the material fits the question.',
    'other',
    'file',
  ]);
});

it('facts for the prompt are told in the language of the author’s instructions, in English without one', async () => {
  expect(await contents([outcome('x', weak)], 'eu')).toEqual([expect.stringContaining('Oharra: ')]);
  expect(await contents([outcome('x', weak)], null)).toEqual([expect.stringContaining('Note: ')]);
});

it('change nothing and look at nothing where every match is good', async () => {
  const { facts, asked } = factsIn('en');
  const outcomes = [outcome('x', good), outcome('as in LAMB', { ...weak, saysFit: false })];
  expect(await facts.told(outcomes, 'Answer kindly.')).toBe(outcomes);
  expect(asked).toEqual([]);
});
