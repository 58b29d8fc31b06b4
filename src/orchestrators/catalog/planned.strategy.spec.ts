import { AppError } from '@bellwether/kernel';
import type { PlannableTool, Planner, PlanRequest, PlanResult, PlanStep, ToolPlan } from '../planning';
import type { PipelineTool } from '../../tools';
import { broken, echo, entries, jobOf, orchestratorOf, scriptedTool } from '../testing/scripted-job';
import { describeStrategy } from '../testing/strategy.conformance';
import { PlannedStrategy } from './planned.strategy';

type StepWish = Partial<PlanStep> & Pick<PlanStep, 'index'>;

const planOf = (steps: readonly StepWish[], more: Partial<ToolPlan> = {}): ToolPlan => ({
  id: 'plan',
  planner: 'model',
  cached: false,
  query_class: 'simple',
  decomposition: { type: 'simple', sub_queries: [], confidence: 1 },
  steps: steps.map((step, at) => ({
    id: `s${at + 1}`,
    tool: 'echo',
    placeholder: `${step.index + 1}_context`,
    query: 'Q',
    config: {},
    dependencies: [],
    execution_mode: 'parallel',
    timeout_ms: 1000,
    fallback: null,
    ...step,
  })),
  stages: [],
  reasoning: 'because',
  confidence: 0.9,
  estimated_duration_ms: 0,
  estimated_cost: 0,
  warnings: [],
  planning_ms: 3,
  ...more,
});

/** Gives out plans one after the other, then plans every tool. */
class ScriptedPlanner {
  readonly asked: PlanRequest[] = [];
  readonly recorded: PlanResult[] = [];

  constructor(
    private readonly plans: ToolPlan[] = [],
    readonly role: PlannableTool['role'] = 'other',
  ) {}

  compile(tools: readonly PipelineTool[]): readonly PlannableTool[] {
    return tools.map((tool) => ({ tool, role: this.role }) as PlannableTool);
  }

  plan(request: PlanRequest): Promise<ToolPlan> {
    this.asked.push(request);
    if (request.signal.aborted) return Promise.reject(new AppError('cancelled', 'The run was cancelled'));
    const next = this.plans.shift();
    return Promise.resolve(next ?? planOf(request.tools.map(({ tool: { index } }) => ({ index }))));
  }

  record(_plan: ToolPlan, result: PlanResult): void {
    this.recorded.push(result);
  }
}

const FALLBACK = { plugin: 'echo', condition: 'on_error', threshold: 0, placeholder: null } as const;
const strategyOf = (planner: ScriptedPlanner) => new PlannedStrategy(planner as unknown as Planner);

describeStrategy('planned', strategyOf(new ScriptedPlanner()));

function planned(...plans: ToolPlan[]) {
  const planner = new ScriptedPlanner(plans);
  const engine = (tools = [echo, broken, ask]) =>
    orchestratorOf(tools, { strategies: [['planned', strategyOf(planner)]] });
  return { planner, engine };
}

/** Answers its question and what it sees of the tools before it. */
const ask = scriptedTool('ask', async ({ top_k = 3 }, { query }, { results }) => {
  const seen = [...results].map(
    ([name, outcome]) => `${name}=${'content' in outcome ? outcome.content : outcome.status}`,
  );
  return { content: [query, `k${String(top_k)}`, ...seen].join('|'), sources: [], confidence: null };
});

describe('planned', () => {
  it('runs the steps of the plan, joins those of one tool in their order and leaves the other tools out', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const plan = planOf(
      [
        { index: 1, query: 'B?', config: { top_k: 5 } },
        { index: 1, query: 'A?' },
        { index: 2, dependencies: ['s1', 's2'] },
      ],
      { stages: [['s1', 's2'], ['s3']], warnings: ['a tool that is not there was dropped'], usage },
    );
    const { planner, engine } = planned(plan);
    const tools = entries({ plugin: 'ask' }, { plugin: 'ask' }, { plugin: 'ask' });
    const job = jobOf({ strategy: 'planned', tools, template: '{1_context}{2_context}', options: { max_steps: 7 } });
    const result = await engine().orchestrate(job);
    expect(result.outcomes).toMatchObject([
      { status: 'skipped', reason: 'the plan does not need it' },
      { status: 'completed', content: 'B?|k5\n\nA?|k3' },
      { status: 'completed', content: 'Q|k3|2_context=B?|k5\n\nA?|k3' },
    ]);
    expect(result.messages).toEqual([{ role: 'user', content: '\n\nB?|k5\n\nA?|k3\n\n' }]);
    expect(result).toMatchObject({ stages: plan.stages, usage, plan: { plan_id: 'plan', reasoning: 'because' } });
    expect(result.warnings).toEqual([{ code: 'plan.degraded', message: plan.warnings[0] }]);
    expect(job.events[0]).toMatchObject({ type: 'plan.ready', message: '🧭 Plan: 2_context, 2_context → 3_context' });
    expect(planner.asked).toMatchObject([
      { query: 'Q', organizationId: 'org', assistantId: 1, options: { max_steps: 7 } },
    ]);
    expect(planner.recorded).toMatchObject([{ outcomes: [{ index: 1 }, { index: 1 }, { index: 2 }] }]);
  });

  it('changes of a tool’s own settings only those that the plan names', async () => {
    const seen: unknown[] = [];
    const log = scriptedTool('log', (config, { query }) => {
      seen.push([query, config]);
      return Promise.resolve({ content: 'x', sources: [], confidence: null });
    });
    const plan = planOf([
      { index: 0, id: 'a', query: 'A?', config: { top_k: 5 } },
      { index: 0, id: 'b', query: 'B?', dependencies: ['a'] },
    ]);
    const tools = entries({ plugin: 'log', config: { top_k: 9, collections: ['bio'] } });
    await planned(plan)
      .engine([log])
      .orchestrate(jobOf({ strategy: 'planned', tools }));
    expect(seen).toEqual([
      ['A?', { top_k: 5, collections: ['bio'] }],
      ['B?', { top_k: 9, collections: ['bio'] }],
    ]);
  });

  it.each<[string, Partial<PipelineTool>, StepWish, object]>([
    ['time', { timeout_ms: 5 }, { index: 0, timeout_ms: 0 }, { message: 'no answer within 5 ms' }],
    [
      'shorter time of the plan',
      { timeout_ms: 60_000 },
      { index: 0, timeout_ms: 5 },
      { message: 'no answer within 5 ms' },
    ],
  ])('keeps to the %s', async (_, own, step, expected) => {
    const hanging = scriptedTool('hanging', () => new Promise(() => undefined), { retries: 0 });
    const tools = entries({ plugin: 'hanging', ...own });
    const { outcomes } = await planned(planOf([step]))
      .engine([hanging])
      .orchestrate(jobOf({ strategy: 'planned', tools }));
    expect(outcomes).toMatchObject([{ status: 'failed', code: 'tool.timeout', ...expected }]);
  });

  it('keeps a tool’s own fallback unless the plan has another', async () => {
    const fallback = (content: string) => ({ ...FALLBACK, config: { content } });
    const tools = entries({ plugin: 'broken', fallback: fallback('own') });
    const contentWith = async (step: StepWish) => {
      const { outcomes } = await planned(planOf([step]))
        .engine()
        .orchestrate(jobOf({ strategy: 'planned', tools }));
      return outcomes[0] !== undefined && 'content' in outcomes[0] ? outcomes[0].content : null;
    };
    expect(await contentWith({ index: 0 })).toBe('own');
    expect(await contentWith({ index: 0, fallback: fallback('planned') })).toBe('planned');
  });

  it('asks a later search with the words that the earlier one found', async () => {
    const plan = planOf([
      { index: 0, query: 'novel' },
      { index: 1, query: 'Who taught its author?', dependencies: ['s1'] },
    ]);
    const novel = scriptedTool('novel', () =>
      Promise.resolve({ content: 'It was written by Shelley.', sources: [], confidence: null }),
    );
    const strategies = [['planned', strategyOf(new ScriptedPlanner([plan], 'search'))]] as const;
    const engine = orchestratorOf([novel, ask], { strategies });
    const tools = entries({ plugin: 'novel' }, { plugin: 'ask' });
    const { outcomes } = await engine.orchestrate(jobOf({ strategy: 'planned', tools }));
    expect(outcomes[1]).toMatchObject({ content: expect.stringMatching(/^Who taught its author\? Shelley\|/) });
  });

  it('lets a question need no tool at all', async () => {
    const { engine } = planned(planOf([]));
    const job = jobOf({ strategy: 'planned', tools: entries({}), template: '{1_context}{user_input}' });
    const { messages, outcomes } = await engine().orchestrate(job);
    expect(messages).toEqual([{ role: 'user', content: '\n\nQ\n\n' }]);
    expect(outcomes).toMatchObject([{ status: 'skipped' }]);
    expect(job.told()[0]).toBe('🧭 Plan: no tool is needed');
  });

  it.each([
    ['a tool that is not there', [{ index: 9 }]],
    ['a step that is not there', [{ index: 0, dependencies: ['s9'] }]],
    [
      'steps that wait for each other',
      [
        { index: 0, dependencies: ['s2'] },
        { index: 0, dependencies: ['s1'] },
      ],
    ],
    [
      'two steps of one name',
      [
        { index: 0, id: 's1' },
        { index: 0, id: 's1' },
      ],
    ],
  ])('takes the heuristic plan for one with %s, and every tool when that cannot run either', async (_, steps) => {
    const { planner, engine } = planned(planOf(steps), planOf([{ index: 1 }]), planOf(steps), planOf(steps));
    const tools = entries({}, {});
    const job = () => jobOf({ strategy: 'planned', tools });
    const statuses = async () => {
      const { outcomes, warnings } = await engine().orchestrate(job());
      return [outcomes.map(({ status }) => status), warnings.length];
    };
    expect(await statuses()).toEqual([['skipped', 'completed'], 1]);
    expect(planner.asked[1]?.options.planner).toBe('heuristic');
    expect(await statuses()).toEqual([['completed', 'completed'], 2]);
  });

  it('keeps the order of the document when it has to run every tool', async () => {
    const { engine } = planned(planOf([{ index: 9 }]), planOf([{ index: 9 }]));
    const tools = entries({ plugin: 'ask', depends_on: ['2_context'] }, { plugin: 'ask' });
    const { outcomes, stages } = await engine().orchestrate(jobOf({ strategy: 'planned', tools }));
    expect(outcomes).toMatchObject([{ content: 'Q|k3|2_context=Q|k3' }, { content: 'Q|k3' }]);
    expect(stages).toEqual([['s2'], ['s1']]);
  });

  it('goes on without what failed, and stops for a tool that must not fail once all its steps failed', async () => {
    const steps = [{ index: 0 }, { index: 1, dependencies: ['s1'] }];
    const tools = entries({ plugin: 'broken' }, { plugin: 'ask' });
    const { planner, engine } = planned(planOf(steps), planOf([...steps, { index: 0, dependencies: ['s2'] }]));
    const going = await engine().orchestrate(jobOf({ strategy: 'planned', tools }));
    expect(going.outcomes).toMatchObject([{ status: 'failed' }, { content: 'Q|k3|1_context=failed' }]);

    const critical = jobOf({
      strategy: 'planned',
      tools: tools.map((tool) => ({ ...tool, on_error: 'fail' as const })),
    });
    await expect(engine().orchestrate(critical)).rejects.toMatchObject({ code: 'tool_failed' });
    expect(critical.events.filter(({ type }) => type === 'tool.completed')).toHaveLength(1);
    expect(planner.recorded).toHaveLength(2);
  });
});
