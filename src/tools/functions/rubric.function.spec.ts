import { AppError, notFound } from '@bellwether/kernel';
import fc from 'fast-check';
import type { ModelRequest } from '../../connectors';
import type { RubricDocument } from '../../rubrics';
import { callOnly, offers } from '../testing/function-call';
import { describeFunction } from '../testing/function.conformance';
import { RubricFunction, evaluationMessages, readEvaluation } from './rubric.function';

const level = (id: string, score: number) => ({ id, score, label: id.toUpperCase(), description: `${id} work` });
const RUBRIC: RubricDocument = {
  rubricId: 'key',
  title: 'Essay: año 1',
  description: 'For essays.',
  metadata: {},
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    { id: 'c1', name: 'Content', description: '', weight: 60, levels: [level('poor', 1), level('good', 4)] },
    { id: 'c2', name: 'Form', description: '', weight: 40, levels: [level('poor', 0), level('good', 2)] },
  ],
};

const judged = (...levels: [string, string][]) =>
  JSON.stringify({ criteria: levels.map(([id, chosen]) => ({ id, level: chosen, reason: `because ${id}` })) });
const GOOD = judged(['c1', 'good'], ['c2', 'poor']);

function scripted(...answers: (string | AppError)[]) {
  const asked: ModelRequest[] = [];
  const complete = async (request: ModelRequest) => {
    asked.push(request);
    const text = answers.length > 1 ? answers.shift() : answers[0];
    if (text instanceof AppError) throw text;
    return { text, usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
  };
  const known = (id: string | number): boolean => id === 'r1' || id === 42;
  const plugin = new RubricFunction(
    {
      exists: async (_, id) => known(id),
      forEvaluation: async (_, id) => {
        if (!known(id)) throw notFound('Rubric');
        return { document: RUBRIC, source: { type: 'rubric', rubric_id: 'r1', title: RUBRIC.title, format: 'json' } };
      },
    },
    { resolve: async () => ({ connector: { complete }, model: 'm', target: {} }) as never },
  );
  return { asked, plugin };
}

const config = { rubric_id: 'r1' };

describeFunction('rubric', {
  plugin: () => scripted(GOOD).plugin,
  working: config,
  refused: [[{ rubric_id: 1.5 }, 'rubric_id']],
  incomplete: [
    [{}, 'tool.config_incomplete'],
    [{ rubric_id: '' }, 'tool.config_incomplete'],
    [{ rubric_id: 'of-someone-else' }, 'tool.inaccessible'],
  ],
});

describe('rubric', () => {
  it('is called by its title, told apart by its id', async () => {
    expect(await offers(scripted(GOOD).plugin, config)).toMatchObject([
      { name: expect.stringMatching(/^evaluate_essay_an_o_1_[0-9a-f]{6}$/) },
    ]);
  });

  it('gives a score and a reason per criterion, and the total that the rubric makes of them', async () => {
    const { plugin } = scripted(`Here you are:\n\`\`\`json\n${GOOD}\n\`\`\``);
    const { content, usage, sources } = await callOnly(plugin, { text: 'My essay' }, { config });
    expect(JSON.parse(content)).toEqual({
      rubric: 'Essay: año 1',
      criteria: [
        { criterion: 'Content', level: 'GOOD', score: 4, best_score: 4, reason: 'because c1' },
        { criterion: 'Form', level: 'POOR', score: 0, best_score: 2, reason: 'because c2' },
      ],
      score: 6,
      max_score: 10,
    });
    expect(usage).toMatchObject({ total_tokens: 15 });
    expect(sources).toMatchObject([{ type: 'rubric', rubric_id: 'r1' }]);
  });

  it.each([
    ['is no JSON', 'Very good!'],
    ['misses a criterion', judged(['c1', 'good'])],
    ['has a level of its own', judged(['c1', 'excellent'], ['c2', 'good'])],
    ['judges twice', judged(['c1', 'good'], ['c1', 'poor'], ['c2', 'good'])],
    ['gives no reason', JSON.stringify({ criteria: [{ id: 'c1', level: 'good' }] })],
  ])('asks once more, with what is wrong, when the answer %s', async (_, wrong) => {
    const { plugin, asked } = scripted(wrong, GOOD);
    const { usage } = await callOnly(plugin, { text: 'My essay' }, { config });
    expect(usage).toMatchObject({ total_tokens: 30 });
    expect(asked[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: wrong },
      { role: 'user', content: expect.stringMatching(/^That cannot be used: /) },
    ]);
  });

  it('fails when the model never fits the rubric', async () => {
    const { plugin, asked } = scripted('no');
    await expect(callOnly(plugin, { text: 'x' }, { config })).rejects.toMatchObject({
      code: 'tool.output_invalid',
      options: { usage: { total_tokens: 30 } },
    });
    expect(asked).toHaveLength(2);
  });

  it('asks again without parameters that a model refuses', async () => {
    const { plugin, asked } = scripted(new AppError('upstream_rejected', 'response_format'), GOOD);
    await callOnly(plugin, { text: 'x' }, { config });
    expect(asked.map(({ params }) => Object.keys(params))).toEqual([['temperature', 'response_format'], []]);
  });

  it.each([
    ['upstream_auth', 'tool.failed'],
    ['upstream_timeout', 'tool.timeout'],
    ['cancelled', 'tool.cancelled'],
  ] as const)('says nothing of the vendor on %s', async (code, failure) => {
    const { plugin } = scripted(new AppError(code, 'secret detail'));
    const error = await callOnly(plugin, { text: 'x' }, { config }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ToolFailure', code: failure });
    expect(String(error)).not.toContain('secret');
  });
});

describe('the work that is assessed', () => {
  it('stands as it is between two lines that it cannot hold, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (work) => {
        const [system, user] = evaluationMessages(RUBRIC, work);
        const told = typeof user?.content === 'string' ? user.content : '';
        const fence = /the two lines (work-[0-9a-f]{24})\./.exec(told)?.[1] ?? '';
        expect(told.endsWith(`\n${fence}\n${work}\n${fence}`)).toBe(true);
        expect(told.split(fence)).toHaveLength(4);
        expect(system).toEqual(evaluationMessages(RUBRIC, '')[0]);
      }),
    );
  });

  it('never gets a score that the rubric does not have', () => {
    const chosen = fc.oneof(fc.constantFrom('good', 'poor', 'GOOD', '4', '99'), fc.jsonValue());
    const criterion = fc.record({
      id: fc.constantFrom('c1', 'c2', '__proto__'),
      level: chosen,
      reason: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(criterion, { maxLength: 4 }), (criteria) => {
        const read = readEvaluation(RUBRIC, JSON.stringify({ criteria, score: 1_000 }));
        if (!('evaluation' in read)) return expect(read.problems.length).toBeGreaterThan(0);
        const { evaluation } = read;
        const [content, form] = evaluation.criteria.map(({ score }) => score);
        expect([1, 4]).toContain(content);
        expect([0, 2]).toContain(form);
        return expect(evaluation.score).toBeLessThanOrEqual(10);
      }),
    );
  });
});
