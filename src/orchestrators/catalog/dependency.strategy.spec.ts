import fc from 'fast-check';
import type { PipelineTool } from '../../tools';
import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from '../testing/scripted-job';
import { describeStrategy } from '../testing/strategy.conformance';
import { DependencyStrategy } from './dependency.strategy';

describeStrategy('dependency', new DependencyStrategy());

const nothing = { content: 'x', sources: [], confidence: null };
const run = (tools: PipelineTool[], engine = orchestratorOf()) => {
  const job = jobOf({ strategy: 'dependency', tools });
  return engine.orchestrate(job).then((result) => ({ ...result, job }));
};
const statuses = ({ outcomes }: { outcomes: readonly { status: string }[] }) => outcomes.map(({ status }) => status);

describe('dependency', () => {
  it('starts a tool when its own dependencies are done, not when a stage is', async () => {
    const order: string[] = [];
    let lastDone = (): void => undefined;
    const last = new Promise<void>((done) => (lastDone = done));
    const log = scriptedTool('log', async ({ name }) => {
      if (name === 'slow') await last;
      order.push(String(name));
      if (name === 'last') lastDone();
      return nothing;
    });
    const step = (name: string, ...depends_on: string[]) => ({ plugin: 'log', config: { name }, depends_on });
    const tools = entries(
      step('slow'),
      step('quick'),
      step('behind quick', '2_context'),
      step('last', '3_context'),
      step('behind slow', '1_context'),
    );
    const { stages } = await run(tools, orchestratorOf([log]));
    expect(order).toEqual(['quick', 'behind quick', 'last', 'slow', 'behind slow']);
    expect(stages).toEqual([['1_context', '2_context'], ['3_context', '5_context'], ['4_context']]);
  });

  it('never starts a tool before all that it waits for have settled, and shows it those and the ones behind them', async () => {
    const graph = fc
      .integer({ min: 1, max: 10 })
      .chain((size) =>
        fc.tuple(
          ...Array.from({ length: size }, (_, index) =>
            fc.record({ ms: fc.nat(3), needs: fc.subarray([...Array(index).keys()]) }),
          ),
        ),
      );
    await fc.assert(
      fc.asyncProperty(graph, fc.integer({ min: 1, max: 5 }), async (nodes, limit) => {
        const ended = new Set<number>();
        const seen = new Map<number, string[]>();
        const node = scriptedTool('node', async ({ at, ms }, _, context) => {
          const needed = nodes[Number(at)]?.needs ?? [];
          expect(needed.every((each) => ended.has(each))).toBe(true);
          seen.set(Number(at), [...context.results.keys()]);
          await new Promise((resolve) => setTimeout(resolve, Number(ms)));
          ended.add(Number(at));
          return nothing;
        });
        const tools = entries(
          ...nodes.map(({ ms, needs }, at) => ({
            plugin: 'node',
            config: { at, ms },
            depends_on: needs.map((each) => `${each + 1}_context`),
          })),
        );
        expect(statuses(await run(tools, orchestratorOf([node], { limit })))).toEqual(nodes.map(() => 'completed'));
        const behind = (at: number): number[] => (nodes[at]?.needs ?? []).flatMap((each) => [each, ...behind(each)]);
        for (const at of nodes.keys()) {
          const expected = [...new Set(behind(at))].sort((a, b) => a - b).map((each) => `${each + 1}_context`);
          expect(seen.get(at)).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('skips what depends on a failed tool, with the reason, and runs it where it says so', async () => {
    const tools = entries(
      { plugin: 'broken' },
      { depends_on: ['1_context'] },
      { depends_on: ['2_context'] },
      { depends_on: ['1_context'], on_dependency_failure: 'run', config: { content: 'anyway' } },
    );
    const { outcomes, job } = await run(tools);
    expect(outcomes).toMatchObject([
      { status: 'failed' },
      { status: 'skipped', reason: '1_context, which it depends on, failed' },
      { status: 'skipped', reason: '2_context, which it depends on, was skipped' },
      { status: 'completed', content: 'anyway' },
    ]);
    expect(job.told()).toEqual([
      '🧭 Stages: 1_context → 2_context, 4_context → 3_context',
      '🔄 Starting tool: broken → 1_context',
      '❌ Tool failed: broken - out of order',
      '⏭️ Skipped tool: echo → 2_context - 1_context, which it depends on, failed',
      '⏭️ Skipped tool: echo → 3_context - 2_context, which it depends on, was skipped',
      '🔄 Starting tool: echo → 4_context',
      '✅ Completed tool: echo → 6 chars to 4_context',
      'merging tool outputs',
    ]);
  });

  it('waits for nothing that is disabled or gone', async () => {
    const tools = entries({ enabled: false }, { depends_on: ['1_context', '9_context'], config: { content: 'x' } });
    expect(statuses(await run(tools))).toEqual(['completed']);
  });

  it('runs no tool whose condition is not met, whatever it depends on', async () => {
    const tools = entries(
      { config: { content: 'abc' } },
      { depends_on: ['1_context'], when: { '>': [{ var: 'results.1_context.chars' }, 2] } },
      { depends_on: ['1_context'], when: { '>': [{ var: 'results.1_context.chars' }, 3] } },
      { when: { var: 'results.1_context.ok' } },
    );
    expect((await run(tools)).outcomes).toMatchObject([
      { status: 'completed' },
      { status: 'completed' },
      { status: 'skipped', reason: 'its condition is not met' },
      { status: 'skipped', reason: 'its condition is not met' },
    ]);
  });

  it('gives up on tools of an old document that wait for each other, and on those behind them', async () => {
    const tools = entries(
      { depends_on: ['2_context'] },
      { depends_on: ['1_context'] },
      { depends_on: ['2_context'] },
      { config: { content: 'free' } },
    );
    const result = await run(tools);
    expect(statuses(result)).toEqual(['skipped', 'skipped', 'skipped', 'completed']);
    expect(result.outcomes[0]).toMatchObject({ reason: 'it waits for tools that wait for each other' });
  });

  it('starts the tools with the longest way behind them first when places are few', async () => {
    const order: number[] = [];
    const log = scriptedTool('log', async ({ at }) => {
      order.push(Number(at));
      return nothing;
    });
    const node = (at: number, ...depends_on: string[]) => ({ plugin: 'log', config: { at }, depends_on });
    const tools = entries(node(1), node(2), node(3, '2_context'), node(4, '3_context'));
    await run(tools, orchestratorOf([log, echo, broken], { limit: 1 }));
    expect(order).toEqual([2, 1, 3, 4]);
  });
});
