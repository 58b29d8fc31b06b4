import { decompose } from './decompose';
import { planHeuristically } from './heuristic-planner';
import { buildPlan } from './plan-builder';
import { scriptedFacts } from './testing/scripted-tools';
import type { ToolFacts } from './tool-profile';

interface Options {
  readonly earlier?: string;
  readonly maxSteps?: number;
  readonly learned?: (facts: ToolFacts) => number;
}

function planFor(query: string, tools: readonly ToolFacts[], options: Options = {}) {
  const { earlier = '', maxSteps = 12, learned = () => 0 } = options;
  const draft = planHeuristically({ query, earlier, tools, decomposition: decompose(query), maxSteps, learned });
  return buildPlan({ draft, tools, defaultTimeoutMs: 30_000 });
}

const chosen = (...given: Parameters<typeof planFor>): (string | null)[] =>
  planFor(...given).steps.map(({ placeholder }) => placeholder);

describe('planning by rules', () => {
  const course = scriptedFacts('hybrid_search', 'rubric_rag', 'moodle_user', 'synthesis', 'validation', 'no_rag');

  it('searches for a simple question once', () => {
    expect(chosen('What is photosynthesis?', scriptedFacts('vector_search'))).toEqual(['1_context']);
  });

  it('searches for both sides of a comparison at once, joins, then checks', () => {
    const { steps, stages } = planFor('mitosis vs meiosis', scriptedFacts('vector_search', 'synthesis', 'validation'));
    expect(steps.map(({ query }) => query).slice(0, 2)).toEqual(['mitosis', 'meiosis']);
    expect(stages).toEqual([['s1', 's2'], ['s3'], ['s4']]);
    expect(steps.map(({ execution_mode }) => execution_mode)).toEqual([
      'parallel',
      'parallel',
      'sequential',
      'sequential',
    ]);
  });

  it('searches in a chain where one part needs another', () => {
    const { steps, stages } = planFor('What is ATP? How is it made?', scriptedFacts('vector_search'));
    expect(steps.map(({ query }) => query)).toEqual(['What is ATP?', 'What is ATP? How is it made?']);
    expect(stages).toEqual([['s1'], ['s2']]);
  });

  it('takes the rubric where a question is about assessment, and leaves it where it is not', () => {
    expect(chosen('Please assess my report following the criteria', course)).toContain('2_rubric');
    expect(chosen('What is photosynthesis?', course)).not.toContain('2_rubric');
  });

  it("takes a tool for questions like the teacher's own examples", () => {
    const asked = '¿Cómo se puntúa mi trabajo?';
    const taught = scriptedFacts('vector_search', {
      plugin: 'rubric_rag',
      example_questions: ['¿Cómo se puntúa el trabajo?'],
    });
    expect(chosen(asked, scriptedFacts('vector_search', 'rubric_rag'))).toEqual(['1_context']);
    expect(chosen(asked, taught)).toEqual(['1_context', '2_rubric']);
  });

  it('reads a short question together with the one before it', () => {
    expect(chosen('And that?', course, { earlier: 'Which rubric criteria hold for feedback?' })).toContain('2_rubric');
  });

  it('needs no content for a greeting', () => {
    expect(chosen('Thank you!', course)).toEqual(['3_moodle_user']);
  });

  it('searches the same collections once: exact words by keywords, else by both', () => {
    const config = { collections: ['bio'] };
    const tools = scriptedFacts(
      { plugin: 'vector_search', config },
      { plugin: 'keyword_search', config },
      { plugin: 'hybrid_search', config },
    );
    expect(chosen('What does "force majeure" mean?', tools)).toEqual(['2_context']);
    expect(chosen('Why do leaves change their colour in autumn?', tools)).toEqual(['3_context']);
  });

  it('leaves collections alone that the words do not name where another is named', () => {
    const tools = scriptedFacts(
      { plugin: 'hybrid_search', config: { collections: ['organic-chemistry'] } },
      { plugin: 'hybrid_search', config: { collections: ['roman-history'] } },
    );
    expect(chosen('Which emperor ended the Roman republic, in history?', tools)).toEqual(['2_context']);
    expect(chosen('What do you think?', tools)).toHaveLength(2);
  });

  it('weighs what earlier runs taught, where the choice is close', () => {
    const config = { collections: ['bio'] };
    const tools = scriptedFacts({ plugin: 'vector_search', config }, { plugin: 'hybrid_search', config });
    const learned = ({ tool }: ToolFacts): number => (tool.index === 0 ? 0.15 : -0.15);
    expect(chosen('Why is the sky blue?', tools)).toEqual(['2_context']);
    expect(chosen('Why is the sky blue?', tools, { learned })).toEqual(['1_context']);
  });

  it('keeps what joins when a plan is cut to its steps', () => {
    const { steps, warnings } = planFor('mitosis vs meiosis', course, { maxSteps: 2 });
    expect(steps.map(({ tool }) => tool)).toEqual(['hybrid_search', 'synthesis']);
    expect(steps[1]?.dependencies).toEqual(['s1']);
    expect(warnings).toEqual(['The plan was cut to 2 steps']);
  });

  it('heeds what the author wrote about order', () => {
    const tools = scriptedFacts({ plugin: 'vector_search', depends_on: ['2_context'] }, 'keyword_search');
    const [first, second] = planFor('Why is the sky blue?', tools).steps;
    expect([first?.placeholder, second?.placeholder, second?.dependencies]).toEqual(['2_context', '1_context', ['s1']]);
  });
});

describe('times and fallbacks of a plan', () => {
  it('has a tool that must not fail stood in for by one of its kind that the plan leaves out', () => {
    const config = { collections: ['bio'] };
    const [step] = planFor(
      'Why is the sky blue?',
      scriptedFacts({ plugin: 'hybrid_search', on_error: 'fail', config }, { plugin: 'keyword_search', config }),
    ).steps;
    expect(step?.fallback).toEqual({
      plugin: 'keyword_search',
      config,
      condition: 'on_error',
      threshold: expect.any(Number),
      placeholder: '2_context',
    });
  });

  it('stands in for what often fails, and expects the time that it usually takes', () => {
    const config = { collections: ['bio'] };
    const stats = { calls: 50, failure_rate: 0.4, avg_ms: 100, p95_ms: 300, confidence: null };
    const [first, second] = scriptedFacts({ plugin: 'hybrid_search', config }, { plugin: 'vector_search', config });
    const plan = planFor('Why is the sky blue?', [{ ...first!, stats }, second!]);
    expect(plan.steps[0]).toMatchObject({
      tool: 'hybrid_search',
      timeout_ms: 15_000,
      fallback: { plugin: 'vector_search' },
    });
    expect(plan.estimated_duration_ms).toBe(100);
  });

  it('keeps the fallback that an entry names, whatever could stand in', () => {
    const config = { collections: ['bio'] };
    const stats = { calls: 50, failure_rate: 0.4, avg_ms: 100, p95_ms: 300, confidence: null };
    const fallback = { plugin: 'single_file_rag', config: {}, condition: 'on_low_confidence', threshold: 0.4 } as const;
    const [first, second] = scriptedFacts(
      { plugin: 'hybrid_search', config, fallback, on_error: 'fail' },
      { plugin: 'vector_search', config },
    );
    const plan = planFor('Why is the sky blue?', [{ ...first!, stats }, second!]);
    expect(plan.steps[0]?.fallback).toEqual({ ...fallback, placeholder: null });
  });

  it.each([1_234, 20_000, 600_000])(
    'keeps the %i ms that an entry names, quick as its tool may have been',
    (timeout_ms) => {
      const stats = { calls: 500, failure_rate: 0, avg_ms: 10, p95_ms: 20, confidence: null };
      const facts = scriptedFacts({ plugin: 'hybrid_search', timeout_ms }, { plugin: 'single_file_rag', timeout_ms });
      const tools = facts.map((known) => ({ ...known, stats }));
      expect(planFor('Why?', tools).steps.map((step) => step.timeout_ms)).toEqual([timeout_ms, timeout_ms]);
    },
  );
});
