import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateOfNode, withCrowds } from './flow-crowds';
import { type FlowTool, graphOf, layersOf } from './flow-graph';
import { layoutOf } from './flow-layout';
import { RULES, rulesOf, type StrategyRules, waitingFor } from './strategy-rules';

const rules = (order: StrategyRules['shape']['order'], reads: StrategyRules['reads'] = [], planned = false) => ({
  reads,
  shape: { order, planned },
});
/** Strategies as `GET /orchestrators` serves them. */
const STRATEGIES = {
  sequential: rules('chain'),
  parallel: rules('parallel'),
  dependency: rules('dependencies', [...RULES]),
  conditional: rules('chain', ['when']),
  planned: rules('dependencies', ['depends_on'], true),
} satisfies Record<string, StrategyRules>;
type Name = keyof typeof STRATEGIES;

const SIZES = { width: 140, height: 50, end: 36, gap: 20, space: 10 };
const tool = (placeholder: string, more: Partial<FlowTool> = {}): FlowTool => ({
  plugin: 'simple_rag',
  placeholder,
  enabled: true,
  ...more,
});
const graph = (tools: readonly FlowTool[], strategy: Name) => graphOf(tools, STRATEGIES[strategy]);
const named = (tools: readonly FlowTool[], strategy: Name): string[][] =>
  layersOf(graph(tools, strategy)).map((layer) => layer.map(({ placeholder, kind }) => placeholder ?? kind));

const THREE = [tool('1_context'), tool('2_context'), tool('3_rubric')];

describe('the flow of a pipeline', () => {
  it('is a line where tools follow one another', () => {
    expect(named(THREE, 'sequential')).toEqual([['question'], ['1_context'], ['2_context'], ['3_rubric'], ['model']]);
    expect(named(THREE, 'conditional')).toEqual(named(THREE, 'sequential'));
  });

  it('is a fan where all run at once', () => {
    expect(named(THREE, 'parallel')).toEqual([['question'], ['1_context', '2_context', '3_rubric'], ['model']]);
  });

  it('follows dependencies, whether the document or the editor tells them', () => {
    const tools = [THREE[0]!, THREE[1]!, tool('3_rubric', { depends_on: ['1_context'] })];
    const edited = [THREE[0]!, THREE[1]!, tool('3_rubric', { extra: { depends_on: ['1_context'] } })];
    const layers = [['question'], ['1_context', '2_context'], ['3_rubric'], ['model']];
    expect(named(tools, 'dependency')).toEqual(layers);
    expect(named(edited, 'dependency')).toEqual(layers);
    expect(graph(tools, 'dependency').edges).not.toContainEqual({ from: 'tool-0', to: 'model' });
    expect(graph(tools, 'dependency').edges).toContainEqual({ from: 'tool-1', to: 'model' });
  });

  it('leaves out tools that are off, and puts those behind the model that look at its answer', () => {
    const tools = [tool('1_context', { enabled: false }), tool('2_validation', { config: { checks: 'answer' } })];
    expect(named(tools, 'sequential')).toEqual([['question'], ['model'], ['2_validation']]);
  });

  it('asks a planner first where there is one', () => {
    expect(named([THREE[0]!], 'planned')).toEqual([['question'], ['planner'], ['1_context'], ['model']]);
  });

  it('marks tools that may not run', () => {
    const conditional = tool('1_context', { extra: { when: false } });
    const marked = (strategy: Name) => graph([conditional], strategy).nodes.map((node) => node.isConditional);
    expect(marked('conditional')).toEqual([false, true, false]);
    expect(marked('sequential')).toEqual([false, false, false]);
  });

  it('draws a strategy that this page never heard of by its shape, and one that is gone as a line', () => {
    const latestFirst: StrategyRules = { reads: ['depends_on'], shape: { order: 'dependencies', planned: false } };
    const tools = [THREE[0]!, tool('2_context', { depends_on: ['1_context'] })];
    const layers = [['question'], ['1_context'], ['2_context'], ['model']];
    const layersFor = (strategy: StrategyRules) =>
      layersOf(graphOf(tools, strategy)).map((layer) => layer.map(({ placeholder, kind }) => placeholder ?? kind));
    expect(layersFor(latestFirst)).toEqual(layers);
    expect(layersFor(rulesOf(undefined))).toEqual(layers);
  });

  it('survives tools that wait for each other or themselves', () => {
    const circle = [
      tool('1_context', { depends_on: ['2_context', '1_context'] }),
      tool('2_context', { depends_on: ['1_context'] }),
    ];
    expect(layersOf(graph(circle, 'dependency')).flat()).toHaveLength(4);
  });
});

const pipelines = fc
  .array(fc.record({ enabled: fc.boolean(), needs: fc.array(fc.nat(11), { maxLength: 3 }) }), { maxLength: 12 })
  .map((entries) =>
    entries.map(({ enabled, needs }, index) =>
      tool(`${index + 1}_context`, { enabled, extra: { depends_on: needs.map((need) => `${need + 1}_context`) } }),
    ),
  );

describe('the layout of a flow', () => {
  it('never lets nodes overlap or stand outside, and draws every edge', () => {
    fc.assert(
      fc.property(
        pipelines,
        fc.constantFrom(...Object.values(STRATEGIES)),
        fc.integer({ min: 200, max: 1200 }),
        (tools, strategy, room) => {
          const graph = graphOf(tools, strategy);
          const { nodes, edges, width, height } = layoutOf(graph, SIZES, room);
          expect(nodes).toHaveLength(graph.nodes.length);
          expect(edges.every(({ path }) => /^M[-\d. ]+([CL][-\d. ]+)+$/.test(path))).toBe(true);
          for (const [at, a] of nodes.entries()) {
            expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= width + 0.01 && a.y + a.height <= height + 0.01).toBe(true);
            for (const b of nodes.slice(at + 1)) {
              const apart =
                a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
              expect(apart).toBe(true);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('fits fans and lines of any length into a phone', () => {
    const many = Array.from({ length: 12 }, (_, index) => tool(`${index + 1}_context`));
    expect(layoutOf(graph(many, 'parallel'), SIZES, 256).width).toBeLessThanOrEqual(256);
    expect(layoutOf(graph(many, 'sequential'), SIZES, 256).width).toBeLessThanOrEqual(256);
  });
});

describe('tools that wait for a tool', () => {
  const entries = [
    { placeholder: '2_context', extra: { depends_on: ['1_context'] } },
    { placeholder: '3_rubric', extra: { depends_on: ['2_context'] } },
    { placeholder: '4_file', extra: {} },
  ];
  it('are found through others between them', () => {
    expect([...waitingFor('1_context', entries)]).toEqual(['2_context', '3_rubric']);
    expect([...waitingFor(null, entries)]).toEqual([]);
  });
  it('are found in circles too', () => {
    const circle = [...entries, { placeholder: '1_context', extra: { depends_on: ['3_rubric'] } }];
    expect(waitingFor('2_context', circle).has('2_context')).toBe(true);
  });
});

describe('many tools of one kind side by side', () => {
  const many = Array.from({ length: 50 }, (_, n) => tool(`${n + 1}_context`));

  it('are drawn as one, between the question and the model', () => {
    const drawn = withCrowds(graph([...many, tool('51_rubric', { plugin: 'rubric_rag' })], 'parallel'));
    expect(drawn.nodes.map(({ kind, members }) => [kind, members?.length])).toEqual([
      ['question', undefined],
      ['tool', 50],
      ['tool', undefined],
      ['model', undefined],
    ]);
    expect(drawn.edges).toHaveLength(4);
    const layout = layoutOf(drawn, SIZES, 600);
    expect(layout.height).toBeLessThan(200);
  });

  it('show the worst that became of one of them', () => {
    const crowd = withCrowds(graph(many, 'parallel')).nodes[1];
    if (crowd === undefined) throw new Error('no crowd');
    expect(stateOfNode(crowd, { 0: 'completed', 7: 'failed', 9: 'skipped' })).toBe('failed');
    expect(stateOfNode(crowd, {})).toBe(null);
  });

  it('stand alone where they follow one another, or are few', () => {
    expect(withCrowds(graph(many, 'sequential')).nodes).toHaveLength(52);
    expect(withCrowds(graph(THREE, 'parallel')).nodes).toHaveLength(5);
  });
});
