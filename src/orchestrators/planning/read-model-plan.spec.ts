import * as fc from 'fast-check';
import { decompose } from './decompose';
import { buildPlan } from './plan-builder';
import { readModelPlan } from './model-planner.service';
import { CATALOGUE, scriptedFacts } from './testing/scripted-tools';

const tools = scriptedFacts('vector_search', 'keyword_search', 'synthesis');
const reading = {
  query: 'the question',
  tools,
  maxSteps: 4,
  decomposition: decompose('the question'),
  problemsOf: ({ definition }: (typeof tools)[number], config: object) =>
    CATALOGUE.validate(definition.name, config).length,
};
const read = (answer: unknown) => readModelPlan(answer, reading);

describe('reading a plan of a model', () => {
  it('finds tools by placeholder, name and hyphenated name', () => {
    const steps = [{ tool: '2_context' }, { tool: 'vector-search' }, { tool: '{3_synthesis}' }];
    const draft = read({ reasoning: 'r', confidence: 2, steps });
    expect(draft.steps.map(({ facts }) => facts.tool.placeholder)).toEqual(['2_context', '1_context', '3_synthesis']);
    expect(draft.steps[2]?.after).toEqual(['m1', 'm2']);
    expect([draft.confidence, draft.warnings]).toEqual([1, []]);
  });

  it('drops what a plan may not do, and says so', () => {
    const { steps, warnings } = read({
      steps: [
        { id: 'a', tool: 'rubric_rag' },
        { id: 'b', tool: 'vector_search', parameters: { collections: ['x'], model: 'y', top_k: 99, threshold: 0.4 } },
        { id: 'c', tool: 'keyword_search', depends_on: ['a', 'nobody', 'b'] },
      ],
    });
    expect(steps.map(({ config, after }) => [config, after])).toEqual([
      [{ threshold: 0.4 }, []],
      [{}, ['m2']],
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/steps for tools.*\(1\)$/),
      expect.stringContaining('settings that a plan may not choose (2)'),
      expect.stringMatching(/settings outside.*\(1\)$/),
      expect.stringMatching(/dependencies.*\(2\)$/),
    ]);
  });

  it('cannot turn around what the author wrote about order', () => {
    const own = scriptedFacts('vector_search', { plugin: 'keyword_search', depends_on: ['1_context'] });
    const steps = [
      { id: 'a', tool: '1_context', depends_on: ['b'] },
      { id: 'b', tool: '2_context' },
    ];
    const draft = readModelPlan({ steps }, { ...reading, tools: own });
    const plan = buildPlan({ draft, tools: own, defaultTimeoutMs: 1_000 });
    expect(plan.steps.map(({ placeholder, dependencies }) => [placeholder, dependencies])).toEqual([
      ['1_context', []],
      ['2_context', ['s1']],
    ]);
    expect(plan.warnings).toEqual([expect.stringContaining('1 dependencies were dropped')]);
  });

  it('makes of anything a plan of known tools, bounded and without circles', () => {
    const name = fc.constantFrom('vector_search', 'keyword-search', '3_synthesis', '__proto__', 'constructor', 'rm');
    const step = fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c'),
        tool: fc.oneof(name, fc.jsonValue()),
        query: fc.oneof(fc.string(), fc.jsonValue()),
        parameters: fc.oneof(
          fc.jsonValue(),
          fc.dictionary(fc.constantFrom('top_k', 'threshold', 'collections'), fc.jsonValue()),
        ),
        depends_on: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'c')), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const answer = fc.oneof(
      fc.jsonValue(),
      fc.record({ steps: fc.array(step), sub_queries: fc.jsonValue(), confidence: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(answer, (given) => {
        const { steps, stages, confidence } = buildPlan({ draft: read(given), tools, defaultTimeoutMs: 1_000 });
        expect(steps.length).toBeLessThanOrEqual(reading.maxSteps);
        expect(stages.flat()).toEqual(steps.map(({ id }) => id));
        expect(confidence).toBeGreaterThanOrEqual(0);
        for (const [at, { index, dependencies, config, query }] of steps.entries()) {
          expect(tools[index]).toBeDefined();
          expect(dependencies.every((id) => steps.findIndex((each) => each.id === id) < at)).toBe(true);
          expect(Object.keys(config).every((key) => key === 'top_k' || key === 'threshold')).toBe(true);
          expect(query.length).toBeLessThanOrEqual(500);
        }
      }),
    );
  });
});
