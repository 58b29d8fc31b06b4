import type { KnownWord, SpellingRepository } from '../../search/spelling.repository';
import { corrected, provenBy, SpellingCorrector, spelt } from './spelling-corrector';

const VOCABULARY = { organizationId: 'o', knowledgeBaseIds: ['a'], configuration: 'simple', version: '1' };

/** A vocabulary of words that are their own stems. */
function over(words: Readonly<Record<string, number>>) {
  const asked: string[][] = [];
  const known = (_: unknown, candidates: readonly string[], beginnings: readonly string[]): Promise<KnownWord[]> => {
    asked.push([...candidates]);
    const found = Object.entries(words).flatMap(([term, df]) => {
      const position = candidates.indexOf(term) + 1;
      return position === 0 ? [] : [{ term, df, positions: [position] }];
    });
    const near = Object.entries(words).filter(([term]) => beginnings.some((beginning) => term.startsWith(beginning)));
    return Promise.resolve([...found, ...near.map(([term, df]) => ({ term, df, positions: null }))]);
  };
  const corrector = new SpellingCorrector({ known } as unknown as SpellingRepository);
  const correct = async (question: string, unknown: readonly string[] | null) =>
    corrected(question, await corrector.correct(VOCABULARY, question, unknown));
  return { correct, asked };
}

describe('a word that no passage has', () => {
  it('is replaced by the nearest word of the material', async () => {
    const { correct } = over({ isolation: 3, level: 9, lever: 2, violation: 5 });
    expect(await correct('What is the isolaton levle?', ['isolaton', 'levl'])).toBe('What is the isolation level?');
  });

  it('with two errors is replaced by the stem that is nearest', async () => {
    expect(await over({ existenti: 2 }).correct('existensjal questions', ['existensj'])).toBe('existenti questions');
  });

  it('stays when nothing is near', async () => {
    expect(await over({ osmosis: 1 }).correct('What is inflation?', ['inflat'])).toBe('What is inflation?');
  });

  it('in quotation marks stays as it is written', async () => {
    const { correct, asked } = over({ isolation: 3 });
    expect(await correct('"isolaton"', ['isolaton'])).toBe('"isolaton"');
    expect(asked).toEqual([]);
  });

  it('is searched for in its parts when it is a compound', async () => {
    expect(await over({}).correct('how does parseXml work', ['parsexml'])).toBe('how does parse Xml work');
  });

  it('is not the other word of the question that is known', async () => {
    const { correct } = over({ isolation: 3, levels: 1 });
    expect(await correct('isolaton level', ['isolaton'])).toBe('isolation level');
  });
});

it('asks once for the same words of the same vocabulary', async () => {
  const words = jest.fn(() => Promise.resolve([{ term: 'isolation', df: 1, positions: null }]));
  const corrector = new SpellingCorrector({ known: words } as unknown as SpellingRepository);
  const ask = (question: string, version = '1') =>
    corrector.correct({ ...VOCABULARY, version }, question, null).then((found) => corrected(question, found));
  expect([await ask('isolationes'), await ask('ISOLATIONES')]).toEqual(['isolation', 'isolation']);
  expect(words).toHaveBeenCalledTimes(1);
  await ask('isolationes', '2');
  expect(words).toHaveBeenCalledTimes(2);
});

it('corrects at most four words of a question', async () => {
  const { correct, asked } = over({ alpha: 1 });
  await correct('alhpa betta gamam detla epsiln zeeta', null);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.length).toBeLessThan(4 * 1_200);
});

it('words corrections as the passages do', () => {
  const passages = ['Isolation of transactions', 'La fotosíntesis, una pregunta existencial'];
  const corrections = [
    { from: 'isolaton', to: 'isolator', like: ['isolator', 'isolation'] },
    { from: 'fotosintesos', to: 'fotosintesis', like: ['fotosintesis'] },
    { from: 'exsistenciall', to: 'existenc', like: [] },
    { from: 'parseXml', to: 'parse Xml', like: [] },
  ];
  const words = spelt(corrections, passages).map(({ to }) => to);
  expect(words).toEqual(['isolation', 'fotosíntesis', 'existencial', 'parse Xml']);
});

it('keeps a correction only where a passage has the word, not merely its stem', () => {
  const corrections = [
    { from: 'Oracle', to: 'orale', like: ['oracles'] },
    { from: 'membrans', to: 'membrana', like: ['membrane'] },
    { from: 'exsistenciall', to: 'existenc', like: [] },
    { from: 'transsistorr', to: 'transist', like: [] },
  ];
  const passages = ['The oral part', 'A Membrane is existential'];
  const kept = provenBy(corrections, passages).map(({ from }) => from);
  expect(kept).toEqual(['membrans']);
  expect(provenBy(corrections, ['existencial', 'transistor']).map(({ from }) => from)).toEqual([
    'exsistenciall',
    'transsistorr',
  ]);
});
