import {
  AppError,
  type Awaitable,
  type EmitRunEvent,
  type Usage,
  addUsage,
  after,
  assembleMessages,
  awaitable,
  droppedPartsText,
  lastUserIndex,
  settle,
} from '@bellwether/kernel';
import { type CompiledTemplate, USER_INPUT } from '@bellwether/kernel/templates';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { CallScope, PARALLEL_TEXTS, ToolInvoker, type ToolOutcome, targetOf } from '../tools';
import type { StrategyTrace } from './contract';
import type { OrchestrationJob, OrchestrationResult, OrchestrationWarning } from './orchestration.types';
import { SearchNotes, contentByPlaceholder, numberSources, usageOf } from './join-outcomes';
import { StrategyRun } from './strategy-run';

/** A tool with `on_error: fail` failed; the outcomes of all tools tell what happened before. */
export class ToolsFailed extends AppError {
  constructor(
    detail: string,
    readonly outcomes: readonly ToolOutcome[],
    usage: Usage | null,
  ) {
    super('tool_failed', detail, { usage });
  }
}

/** Progress of the tools together: no tool has this index. */
const OF_ALL_TOOLS = { type: 'tool.progress', index: -1, placeholder: null } as const;

type Warn = (code: string, message: string) => void;

interface Executed {
  readonly outcomes: readonly ToolOutcome[];
  readonly trace: StrategyTrace;
}

interface Told extends Executed {
  readonly sources: OrchestrationResult['sources'];
  readonly isInPrompt: (outcome: ToolOutcome) => boolean;
  /** Grows while the messages are built. */
  readonly warnings: readonly OrchestrationWarning[];
  readonly warn: Warn;
}

/**
 * Runs the tools of one request under a strategy and builds the messages for the model. Outcomes are kept by
 * position, never by placeholder or finish time. Rejects with `tool_failed` after a failure with `on_error: fail`,
 * and with `cancelled` after an abort. Any other failure leaves an empty slot, an event and an outcome.
 */
@Injectable()
export class Orchestrator {
  private readonly logger = new Logger(Orchestrator.name);

  constructor(
    private readonly invoker: ToolInvoker,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() @Inject(SearchNotes) private readonly facts: SearchNotes | null = null,
  ) {}

  /** Answers at once where no tool and no strategy waits. */
  orchestrate(job: OrchestrationJob): Awaitable<OrchestrationResult> {
    const warnings: OrchestrationWarning[] = [];
    const emit: EmitRunEvent = (event) => {
      if (event.type === 'warning') warnings.push({ code: event.code, message: event.message });
      job.emit(event);
    };
    const warn: Warn = (code, message) => emit({ type: 'warning', code, message });
    this.warnOfMissingStrategy(job, warn);
    return after(this.execute(job, emit), ({ outcomes: settled, trace }) => {
      const isInPrompt = inPromptOf(job);
      const { outcomes: numbered, sources } = numberSources(settled, isInPrompt);
      const words = `${job.systemPrompt}\n${literalsOf(job.pipeline.template)}`;
      const telling = this.facts?.told(numbered, words) ?? numbered;
      return after(telling, (outcomes) => this.joined(job, { outcomes, trace, sources, isInPrompt, warnings, warn }));
    });
  }

  private joined(
    job: OrchestrationJob,
    { outcomes, trace: { usage: spent = null, ...trace }, sources, isInPrompt, warnings, warn }: Told,
  ): OrchestrationResult {
    const { strategy, tools, checks, template, unfilled } = job.pipeline;
    for (const outcome of outcomes) warnAbout(outcome, warn);
    if (unfilled !== null) warn('placeholder.unfilled', unfilled);
    if (tools.length > 0) job.emit({ ...OF_ALL_TOOLS, plugin: strategy, message: 'merging tool outputs' });
    const contents = contentByPlaceholder(outcomes);
    const { messages, droppedParts } = assembleMessages({
      messages: job.messages,
      systemPrompt: job.systemPrompt,
      vision: job.vision,
      rewrite: (question) =>
        template.source === ''
          ? null
          : template.render((name) => (name === USER_INPUT ? question : (contents.get(name) ?? ''))),
    });
    if (droppedParts > 0) warn('message.parts_dropped', droppedPartsText(droppedParts));
    return {
      strategy,
      outcomes,
      inPrompt: outcomes.filter(isInPrompt),
      messages,
      sources,
      warnings,
      ...trace,
      usage: addUsage(spent, usageOf(outcomes)),
      afterAnswer: checks.length === 0 ? null : (answer) => this.check(job, outcomes, answer),
    };
  }

  private warnOfMissingStrategy({ pipeline, runId, assistantId }: OrchestrationJob, warn: Warn): void {
    if (pipeline.missingStrategy === null) return;
    this.logger.warn(`run ${runId} assistant ${assistantId}: unknown strategy, fell back to ${pipeline.strategy}`);
    warn('orchestrator.unknown', pipeline.missingStrategy);
  }

  private execute(job: OrchestrationJob, emit: EmitRunEvent): Awaitable<Executed> {
    const scope = new CallScope(job.signal);
    const run = new StrategyRun({ invoker: this.invoker, job, emit, scope, limit: this.limit });
    return settle(
      () => awaitable(job.pipeline.run(run)),
      (trace) => {
        scope.close();
        return this.executed(job, run, trace ?? {});
      },
      (error) => {
        scope.close();
        throw error;
      },
    );
  }

  private executed({ pipeline, signal }: OrchestrationJob, run: StrategyRun, trace: StrategyTrace): Executed {
    const outcomes = run.outcomesOf(pipeline.tools);
    const { fatal } = run;
    const usage = addUsage(trace.usage ?? null, usageOf(outcomes));
    if (fatal !== null) {
      throw new ToolsFailed(`The tool ${targetOf(fatal.tool)} failed: ${fatal.message}`, outcomes, usage);
    }
    if (signal.aborted) throw new AppError('cancelled', 'The run was cancelled', { usage });
    return { outcomes, trace };
  }

  /** The tools that look at the answer, side by side: nothing waits for what they find. */
  private async check(
    job: OrchestrationJob,
    earlier: readonly ToolOutcome[],
    answer: string,
  ): Promise<readonly ToolOutcome[]> {
    const scope = new CallScope(job.signal);
    const run = new StrategyRun({ invoker: this.invoker, job, emit: job.emit, scope, limit: this.limit, answer });
    try {
      return await Promise.all(job.pipeline.checks.map(async (tool) => run.call(tool, PARALLEL_TEXTS, earlier)));
    } finally {
      scope.close();
    }
  }

  private get limit(): number {
    return this.config.tools.parallelLimit;
  }
}

/** Whether the content of an outcome is put into the prompt: the template has its slot, and there is a question to fill. */
function inPromptOf({ messages, pipeline: { template } }: OrchestrationJob): (outcome: ToolOutcome) => boolean {
  if (lastUserIndex(messages) === -1) return () => false;
  const slots = new Set<string | null>(template.slots.map(({ name }) => name));
  return ({ placeholder }) => slots.has(placeholder);
}

/** The author's own words in a template. */
const literalsOf = ({ segments }: CompiledTemplate): string =>
  segments.map((segment) => (segment.kind === 'literal' ? segment.text : ' ')).join('');

function warnAbout(outcome: ToolOutcome, warn: Warn): void {
  if (outcome.status !== 'completed') return;
  for (const warning of outcome.warnings) warn('tool.degraded', `${targetOf(outcome)}: ${warning}`);
}
