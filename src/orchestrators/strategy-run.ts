import { type Awaitable, type EmitRunEvent, Semaphore, after, lastQuestion } from '@bellwether/kernel';
import type { CompiledTemplate } from '@bellwether/kernel/templates';
import {
  type CallScope,
  type CompiledTool,
  type Invocation,
  type PipelineTool,
  type ToolInput,
  type ToolInvoker,
  type ToolOutcome,
  type ToolTexts,
  skippedText,
} from '../tools';
import type { Step, StrategyContext, StrategyRequest } from './contract';
import type { OrchestrationJob } from './orchestration.types';
import { contentByPlaceholder, joinByTool, joinSteps, numberSources } from './join-outcomes';

/** Earlier results as one tool sees them; each is rendered on first access. */
class EarlierResults {
  constructor(
    private readonly template: CompiledTemplate,
    private readonly after: readonly ToolOutcome[],
  ) {}

  readonly prompt = (): string => {
    const { outcomes } = numberSources(joinByTool(this.after));
    const contents = contentByPlaceholder(outcomes);
    for (const { placeholder } of outcomes) {
      if (placeholder !== null && !contents.has(placeholder)) contents.set(placeholder, '');
    }
    return this.template.renderPartial(contents);
  };

  readonly results = (): ReadonlyMap<string, ToolOutcome> => {
    const { outcomes } = numberSources(joinByTool(this.after));
    return new Map(
      outcomes.flatMap((outcome) => (outcome.placeholder === null ? [] : [[outcome.placeholder, outcome]])),
    );
  };
}

/** The context that all calls of one run share. */
export interface RunSurroundings {
  readonly invoker: ToolInvoker;
  readonly job: OrchestrationJob;
  readonly emit: EmitRunEvent;
  readonly scope: CallScope;
  /** Tools that may run at once. */
  readonly limit: number;
  /** The finished answer, where tools look at it. */
  readonly answer?: string;
}

/** The calls of one tool. */
interface Calls {
  /** Call of the tool as a whole; null while it runs in steps only. */
  whole: Awaitable<ToolOutcome> | null;
  outcome: ToolOutcome | null;
  steps: Steps | null;
}

interface Steps {
  /** Ids in the order in which the contents join. */
  order: readonly string[];
  readonly started: Map<string, Awaitable<ToolOutcome>>;
  readonly settled: Map<string, ToolOutcome>;
}

/**
 * The tool calls of one run: at most `limit` at once in FIFO order, each tool or step once, outcomes by position.
 * Once a tool that must not fail has failed, waiting tools do not start.
 */
export class StrategyRun implements StrategyContext {
  readonly request: StrategyRequest;
  readonly signal: AbortSignal;
  readonly emit: EmitRunEvent;
  private readonly tools = new Map<number, Calls>();
  private readonly semaphore: Semaphore;
  private readonly input: ToolInput;
  private failure: { tool: PipelineTool; message: string } | null = null;

  constructor(private readonly surroundings: RunSurroundings) {
    const { job, emit, limit } = surroundings;
    const { messages } = job;
    this.request = requestOf(job, lastQuestion(messages));
    this.signal = job.signal;
    this.emit = emit;
    this.input = { query: this.request.question, messages, params: job.params ?? {} };
    this.semaphore = new Semaphore(limit);
  }

  /** The first failure of a tool with `on_error: fail`, or null. */
  get fatal(): { readonly tool: PipelineTool; readonly message: string } | null {
    return this.failure;
  }

  readonly start: StrategyContext['start'] = async (...call) => this.call(...call);

  readonly call: StrategyContext['call'] = (tool, texts, earlier, step) => {
    const calls = this.callsOf(tool);
    if (step === undefined) return (calls.whole ??= this.run(calls, tool, texts, earlier, step));
    const { started } = stepsOf(calls);
    const known = started.get(step.id);
    if (known !== undefined) return known;
    const outcome = this.run(calls, tool, texts, earlier, step);
    started.set(step.id, outcome);
    return outcome;
  };

  /** Settles a tool, or a step, that never starts. */
  readonly skip = (tool: PipelineTool, reason: string, stepId?: string): ToolOutcome => {
    const calls = this.callsOf(tool);
    const outcome = skipped(tool, reason);
    if (stepId === undefined) calls.whole = outcome;
    else stepsOf(calls).started.set(stepId, outcome);
    return this.settle(calls, tool, outcome, stepId);
  };

  readonly declare = (tool: PipelineTool, stepIds: readonly string[]): void => {
    stepsOf(this.callsOf(tool)).order = stepIds;
  };

  /** One outcome per tool, in the order of `tools`, whatever the strategy did. */
  outcomesOf(tools: readonly PipelineTool[]): ToolOutcome[] {
    return tools.map((tool) => {
      const { outcome, steps } = this.callsOf(tool);
      if (outcome !== null) return outcome;
      if (steps !== null && steps.settled.size > 0) return joinSteps(tool, inOrder(steps));
      return this.skip(tool, 'the strategy did not run it');
    });
  }

  private callsOf({ index }: PipelineTool): Calls {
    const known = this.tools.get(index);
    if (known !== undefined) return known;
    const calls: Calls = { whole: null, outcome: null, steps: null };
    this.tools.set(index, calls);
    return calls;
  }

  private run(
    calls: Calls,
    tool: CompiledTool,
    texts: ToolTexts,
    earlier: readonly ToolOutcome[],
    step: Step | undefined,
  ): Awaitable<ToolOutcome> {
    const entered = this.semaphore.tryEnter() ? undefined : this.semaphore.enter();
    return after(entered, () => {
      if (this.failure !== null) return this.leave(this.skip(tool, 'an earlier tool stopped the run', step?.id));
      return after(this.invoke(tool, texts, earlier, step), (outcome) =>
        this.leave(this.settle(calls, tool, outcome, step?.id)),
      );
    });
  }

  private leave(outcome: ToolOutcome): ToolOutcome {
    this.semaphore.leave();
    return outcome;
  }

  private settle(calls: Calls, tool: PipelineTool, outcome: ToolOutcome, stepId: string | undefined): ToolOutcome {
    if (stepId === undefined) calls.outcome = outcome;
    else stepsOf(calls).settled.set(stepId, outcome);
    if (outcome.status === 'skipped') this.tellSkipped(tool, outcome.reason, stepId);
    if (outcome.status === 'failed' && tool.on_error === 'fail' && this.failure === null && hasFailed(calls)) {
      this.failure = { tool, message: outcome.message };
      this.surroundings.scope.stop();
    }
    return outcome;
  }

  private invoke(
    tool: CompiledTool,
    texts: ToolTexts,
    earlier: readonly ToolOutcome[],
    step: Step | undefined,
  ): Awaitable<ToolOutcome> {
    const { invoker, answer } = this.surroundings;
    const invocation = this.invocation(texts, earlier);
    if (step !== undefined) {
      return invoker.invoke(asStep(tool, step), questionOf(this.input, step), { ...invocation, step: step.id });
    }
    return invoker.run(tool, this.input, answer === undefined ? invocation : { ...invocation, answer });
  }

  /** Assigned field by field: object spread dominated the cost of a call that does nothing (bench: engine). */
  private invocation(texts: ToolTexts, earlier: readonly ToolOutcome[]): Invocation {
    const { job, scope, emit } = this.surroundings;
    const { prompt, results } = new EarlierResults(job.pipeline.template, earlier);
    return {
      scope,
      owner: job.owner,
      caller: job.caller,
      assistantId: job.assistantId,
      connector: job.connector,
      runId: job.runId,
      assistants: job.assistants,
      texts,
      emit,
      prompt,
      results,
    };
  }

  private tellSkipped(tool: PipelineTool, reason: string, step: string | undefined): void {
    const { index, plugin, placeholder, label } = tool;
    this.emit({
      type: 'tool.skipped',
      index,
      plugin,
      placeholder,
      ...(label === undefined ? {} : { label }),
      ...(step === undefined ? {} : { step }),
      reason,
      message: skippedText({ plugin, placeholder }, reason),
    });
  }
}

type SkippedOutcome = Extract<ToolOutcome, { status: 'skipped' }>;

const requestOf = (job: OrchestrationJob, question: string): StrategyRequest => ({
  runId: job.runId,
  assistantId: job.assistantId,
  assistantVersion: job.assistantVersion,
  question,
  messages: job.messages,
  metadata: job.metadata,
  caller: job.caller,
  owner: job.owner,
  connector: job.connector,
});

const questionOf = (input: ToolInput, { query }: Step): ToolInput =>
  query === undefined ? input : { ...input, query };

const asStep = (tool: PipelineTool, { config, timeoutMs, fallback }: Step): PipelineTool => ({
  ...tool,
  config: config === undefined ? tool.config : { ...tool.config, ...config },
  timeout_ms: timeoutMs ?? tool.timeout_ms,
  fallback: fallback ?? tool.fallback,
});

const stepsOf = (calls: Calls): Steps => (calls.steps ??= { order: [], started: new Map(), settled: new Map() });

/** A tool in steps has failed when each of them has settled and none completed. */
function hasFailed({ outcome, steps }: Calls): boolean {
  if (outcome !== null || steps === null) return true;
  const { order, settled } = steps;
  return order.every((id) => settled.has(id)) && [...settled.values()].every(({ status }) => status !== 'completed');
}

/** Steps that were never declared join behind the others, in the order in which they settled. */
const inOrder = ({ order, settled }: Steps): ToolOutcome[] =>
  [...new Set([...order, ...settled.keys()])].flatMap((id) => settled.get(id) ?? []);

const skipped = ({ index, plugin, placeholder }: PipelineTool, reason: string): SkippedOutcome => ({
  index,
  plugin,
  placeholder,
  status: 'skipped',
  reason,
  duration_ms: 0,
});
