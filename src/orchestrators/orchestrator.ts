import {
  AppError,
  type EmitRunEvent,
  type Usage,
  addUsage,
  assembleMessages,
  droppedPartsText,
  lastUserIndex,
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

  async orchestrate(job: OrchestrationJob): Promise<OrchestrationResult> {
    const warnings: OrchestrationWarning[] = [];
    const emit: EmitRunEvent = (event) => {
      if (event.type === 'warning') warnings.push({ code: event.code, message: event.message });
      job.emit(event);
    };
    const warn: Warn = (code, message) => emit({ type: 'warning', code, message });
    const { strategy, tools, checks, template, unfilled } = job.pipeline;
    this.warnOfMissingStrategy(job, warn);
    const {
      outcomes: settled,
      trace: { usage: spent = null, ...trace },
    } = await this.execute(job, emit);
    const isInPrompt = inPromptOf(job);
    const { outcomes: numbered, sources } = numberSources(settled, isInPrompt);
    const telling = this.facts?.told(numbered, `${job.systemPrompt}\n${literalsOf(template)}`) ?? numbered;
    const outcomes = telling instanceof Promise ? await telling : telling;
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

  private async execute(job: OrchestrationJob, emit: EmitRunEvent): Promise<Executed> {
    const scope = new CallScope(job.signal);
    const run = new StrategyRun({ invoker: this.invoker, job, emit, scope, limit: this.limit });
    const { pipeline, signal } = job;
    let trace: StrategyTrace;
    try {
      trace = (await pipeline.run(run)) ?? {};
    } finally {
      scope.close();
    }
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
    after: readonly ToolOutcome[],
    answer: string,
  ): Promise<readonly ToolOutcome[]> {
    const scope = new CallScope(job.signal);
    const run = new StrategyRun({ invoker: this.invoker, job, emit: job.emit, scope, limit: this.limit, answer });
    try {
      return await Promise.all(job.pipeline.checks.map((tool) => run.start(tool, PARALLEL_TEXTS, after)));
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
