import type { PipelineTool, ToolOutcome, ToolTexts } from '../tools';
import type { Step } from './contract';
import { joinSteps } from './join-outcomes';

/** Calls one tool; never rejects. */
export type CallTool = (
  tool: PipelineTool,
  texts: ToolTexts,
  after: readonly ToolOutcome[],
  step?: Step,
) => Promise<ToolOutcome>;

type SkippedOutcome = Extract<ToolOutcome, { status: 'skipped' }>;

export interface ExecutionHooks {
  readonly call: CallTool;
  /** A tool or step has settled without being called. */
  readonly onSkip: (outcome: SkippedOutcome, stepId: string | undefined) => void;
  /** A tool that must not fail has failed. */
  readonly onFatal: () => void;
}

/** The calls of one tool. */
interface Calls {
  /** Of the tool as a whole; null while it runs in steps only. */
  whole: Promise<ToolOutcome> | null;
  outcome: ToolOutcome | null;
  steps: Steps | null;
}

interface Steps {
  /** Ids in the order in which the contents join. */
  order: readonly string[];
  readonly started: Map<string, Promise<ToolOutcome>>;
  readonly settled: Map<string, ToolOutcome>;
}

/**
 * The tool calls of one run: at most `limit` at once, first come first served, each tool or step once, and the outcome of
 * each kept under its position. Once a tool that must not fail has failed, waiting tools do not start.
 */
export class Execution {
  private readonly tools = new Map<number, Calls>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private failure: { tool: PipelineTool; message: string } | null = null;

  constructor(
    private readonly limit: number,
    private readonly hooks: ExecutionHooks,
  ) {}

  /** The first failure of a tool with `on_error: fail`, or null. */
  get fatal(): { readonly tool: PipelineTool; readonly message: string } | null {
    return this.failure;
  }

  readonly start: CallTool = (tool, texts, after, step) => {
    const calls = this.callsOf(tool);
    if (step === undefined) return (calls.whole ??= this.run(calls, tool, texts, after, step));
    const { started } = stepsOf(calls);
    const known = started.get(step.id);
    if (known !== undefined) return known;
    const outcome = this.run(calls, tool, texts, after, step);
    started.set(step.id, outcome);
    return outcome;
  };

  /** Settles a tool, or a step, that never starts. */
  readonly skip = (tool: PipelineTool, reason: string, stepId?: string): ToolOutcome => {
    const calls = this.callsOf(tool);
    const outcome = skipped(tool, reason);
    if (stepId === undefined) calls.whole = Promise.resolve(outcome);
    else stepsOf(calls).started.set(stepId, Promise.resolve(outcome));
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

  private async run(
    calls: Calls,
    tool: PipelineTool,
    texts: ToolTexts,
    after: readonly ToolOutcome[],
    step: Step | undefined,
  ): Promise<ToolOutcome> {
    if (this.running >= this.limit) await new Promise<void>((free) => this.waiting.push(free));
    else this.running += 1;
    const outcome =
      this.failure === null
        ? this.settle(calls, tool, await this.hooks.call(tool, texts, after, step), step?.id)
        : this.skip(tool, 'an earlier tool stopped the run', step?.id);
    // The place is handed over, not given back: nobody else can take it in between.
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
    return outcome;
  }

  private settle(calls: Calls, tool: PipelineTool, outcome: ToolOutcome, stepId: string | undefined): ToolOutcome {
    if (stepId === undefined) calls.outcome = outcome;
    else stepsOf(calls).settled.set(stepId, outcome);
    if (outcome.status === 'skipped') this.hooks.onSkip(outcome, stepId);
    if (outcome.status === 'failed' && tool.on_error === 'fail' && this.failure === null && hasFailed(calls)) {
      this.failure = { tool, message: outcome.message };
      this.hooks.onFatal();
    }
    return outcome;
  }
}

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

const skipped = ({ index, plugin, placeholder }: PipelineTool, reason: string): ToolOutcome => ({
  index,
  plugin,
  placeholder,
  status: 'skipped',
  reason,
  duration_ms: 0,
});
