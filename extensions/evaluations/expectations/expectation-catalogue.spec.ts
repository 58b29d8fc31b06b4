import type { KnowledgeBaseSource } from '@bellwether/kernel';
import type { CheckContext, TestedAnswer } from '../contract';
import { ExpectationCatalogue } from './expectation-catalogue';

const SOURCE: KnowledgeBaseSource = {
  ...{ type: 'knowledge_base', title: 'Plants', url: '', similarity: 1, document: 'plants.pdf', n: 1 },
  ...{ page: 3, page_end: 4, document_id: 'd1', knowledge_base: { id: 'k1', name: 'Biology' } },
};
const OTHER: KnowledgeBaseSource = {
  ...{ type: 'knowledge_base', title: 'Rocks', url: '', similarity: 1, document: 'rocks.pdf', n: 2 },
};
const ANSWER: TestedAnswer = {
  question: 'What does chlorophyll do?',
  answer: 'It absorbs\n LIGHT [1].',
  sources: [SOURCE, OTHER],
  passages: [{ n: 1, title: 'Plants', text: 'Chlorophyll is a green pigment.' }],
  fixed: false,
  durationMs: 1_500,
  costMicros: 2_000,
};
const RUBRIC = {
  title: 'Answers',
  instruction: 'Choose a level.',
  criteria: [
    {
      ...{ id: 'c1', name: 'Right', description: '', share: 1, bestScore: 4 },
      levels: [4, 2, 0].map((score) => ({ score, label: String(score), description: '' })),
    },
  ],
};

function context(verdict: unknown = {}): CheckContext {
  return {
    judge: <T>() => Promise.resolve(verdict as T),
    rubric: (id) => Promise.resolve(id === 'r1' ? RUBRIC : null),
    documentExists: (_, id) => Promise.resolve(id === 'd1'),
  };
}

const catalogue = new ExpectationCatalogue();
const statusOf = async (kind: string, config: object, answer: Partial<TestedAnswer> = {}, verdict?: unknown) =>
  (await catalogue.check({ kind, config: { ...config } }, { ...ANSWER, ...answer }, context(verdict))).status;

describe('an expectation', () => {
  it.each([
    ['contains', { text: 'absorbs light' }, 'passed'],
    ['contains', { text: 'sugar' }, 'failed'],
    ['lacks', { text: 'sugar' }, 'passed'],
    ['lacks', { text: 'light' }, 'failed'],
    ['finds_passage', { text: 'GREEN pigment' }, 'passed'],
    ['finds_passage', { text: 'blue' }, 'failed'],
    ['cites_document', { document: 'Plants.pdf' }, 'passed'],
    ['cites_document', { document: 'plants', page: 4 }, 'passed'],
    ['cites_document', { document: 'plants.pdf', page: 5 }, 'failed'],
    // Found, and not cited.
    ['cites_document', { document: 'rocks.pdf' }, 'failed'],
    ['cites_document', { document: 'new name', document_id: 'd1', knowledge_base_id: 'k1' }, 'passed'],
    ['cites_document', { document: 'x.pdf', document_id: 'd9', knowledge_base_id: 'k1' }, 'gone'],
    ['within_time', { seconds: 1.5 }, 'passed'],
    ['within_time', { seconds: 1.4 }, 'failed'],
    ['within_cost', { amount: 0.002 }, 'passed'],
    ['within_cost', { amount: 0.001 }, 'failed'],
    ['of_a_later_release', {}, 'gone'],
  ])('%s %j is %s', async (kind, config, status) => expect(await statusOf(kind, config)).toBe(status));

  it('of a cost is not judged without a price', async () => {
    expect(await statusOf('within_cost', { amount: 1 }, { costMicros: null })).toBe('not_judged');
  });

  it('of a document counts every source where the answer cites none by number', async () => {
    expect(await statusOf('cites_document', { document: 'rocks.pdf' }, { answer: 'It absorbs light.' })).toBe('passed');
  });

  it.each([
    ['the judge sees one', {}, { refuses: true, reason: 'It declines.' }, 'passed'],
    ['the judge sees none', {}, { refuses: false, reason: 'It answers.' }, 'failed'],
    ['nothing was found and no model was asked', { fixed: true }, null, 'passed'],
  ])('of a refusal: %s', async (_, answer, verdict, status) => {
    expect(await statusOf('refuses', {}, answer, verdict)).toBe(status);
  });

  it.each([
    ['reaches the score', [{ id: 'c1', score: 2 }], 'r1', 'passed'],
    ['stays below it', [{ id: 'c1', score: 0 }], 'r1', 'failed'],
    ['gets a score that no level has', [{ id: 'c1', score: 3 }], 'r1', 'not_judged'],
    ['is not judged by each criterion', [], 'r1', 'not_judged'],
    ['is judged with a rubric that is gone', [], 'r2', 'gone'],
  ])('of a rubric: the answer %s', async (_, criteria, rubric, status) => {
    const verdict = { criteria, reason: '' };
    expect(await statusOf('meets_rubric', { rubric_id: rubric, min_score: 50 }, {}, verdict)).toBe(status);
  });

  it('is refused with another kind or another config than there is', () => {
    expect(catalogue.problems({ kind: 'contain', config: {} }, 'e')[0]?.message).toContain('contains');
    expect(catalogue.problems({ kind: 'contains', config: { txt: 'a' } }, 'e')[0]?.path).toMatch(/^e\.config/);
    expect(catalogue.problems({ kind: 'contains', config: { text: 'a' } }, 'e')).toEqual([]);
  });

  it('is proposed only where the answer meets it', async () => {
    const proposed = catalogue.proposals(ANSWER);
    expect(proposed.map(({ kind }) => kind)).toEqual(['cites_document', 'finds_passage', 'within_time']);
    for (const { kind, config } of proposed) {
      expect(catalogue.problems({ kind, config }, '')).toEqual([]);
      expect(await statusOf(kind, config)).toBe('passed');
    }
  });

  it('proposed for an answer with a date fails once another answer comes, however well it cites', async () => {
    const exam = {
      question: 'When is the exam in room 3?',
      answer: '1. See below.\nThe exam is on 14 March in room 3 [1].',
      passages: [
        { n: 1, title: 'Lecture', text: '# 11. Exam\n\nThe exam is on 14 March. Bring a pen.' },
        { n: 2, title: 'Osmosis', text: 'Water moves.' },
      ],
    };
    const proposed = catalogue.proposals({ ...ANSWER, ...exam });
    expect(proposed).toContainEqual({ kind: 'contains', config: { text: '14 March' } });
    expect(proposed.filter(({ kind }) => kind === 'finds_passage')).toEqual([
      { kind: 'finds_passage', config: { text: 'The exam is on 14 March. Bring a pen.' } },
    ]);
    for (const { kind, config } of proposed) expect(await statusOf(kind, config, exam)).toBe('passed');
    const osmosis = { ...exam, answer: 'Osmosis moves water [1].' };
    expect(await statusOf('contains', { text: '14 March' }, osmosis)).toBe('failed');
  });

  it.each([
    ['It takes 3.5 % of the mass.', '3.5 %'],
    ['The mean is 10 minutes.', '10 minutes'],
    ['1. Water\n2. Salt', null],
    ['No figure at all [2].', null],
  ])('proposes the figure of “%s”', (answer, figure) => {
    const found = catalogue.proposals({ ...ANSWER, answer }).find(({ kind }) => kind === 'contains');
    expect(found?.config['text'] ?? null).toBe(figure);
  });
});
