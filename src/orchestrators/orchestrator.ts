import { Inject, Injectable, Logger } from '@nestjs/common';
import { addUsage, AppError, type EmitRunEvent, type JsonObject, lastQuestion, type Usage } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { assembleMessages } from '../processors';
import { type CompiledTemplate, USER_INPUT } from '../templates';
import {
  CallScope,
  type Invocation,
  PARALLEL_TEXTS,
  type PipelineTool,
  skippedText,
  targetOf,
  ToolCatalogue,
  type ToolInput,
  ToolInvoker,
  type ToolOutcome,
  type ToolTexts,
} from '../tools';
import type { OrchestratorStrategy, Step, StrategyRequest, StrategyTrace } from './contract';
import { Execution, type ExecutionHooks } from './execution';
import { joinByTool } from './join-outcomes';
import { numberSources } from './number-sources';
import type { OrchestrationJob, OrchestrationResult, OrchestrationWarning } from './orchestration.types';
import { FALLBACK_STRATEGY, StrategyCatalogue } from './strategy-catalogue';

const NAMED_SLOTS = 10;

type Warn = (code: string, message: string) => void;

interface NamedStrategy {
  readonly name: string;
  readonly strategy: OrchestratorStrategy;
}

/** The enabled tools of a document, and which of them run before and after the answer. */
interface Phases {
  readonly enabled: readonly PipelineTool[];
  readonly pipeline: readonly PipelineTool[];
  readonly checks: readonly PipelineTool[];
}

interface Executed {
  readonly outcomes: readonly ToolOutcome[];
  readonly trace: StrategyTrace;
}

/**
 * Runs the tools of one request under a strategy and builds the messages for the model. Outcomes are kept by position, never
 * by placeholder or finish time. Rejects with `tool_failed` when a tool that must not fail failed, and with `cancelled`
 * when the run was aborted; every other failure leaves an empty slot and a trace in events and outcomes.
 */
@Injectable()
export class Orchestrator {
  private readonly logger = new Logger(Orchestrator.name);
  /** Keyed by the document's list of tools, which lives as long as the cached assistant. */
  private readonly phases = new WeakMap<readonly PipelineTool[], Phases>();

  constructor(
    private readonly strategies: StrategyCatalogue,
    private readonly tools: ToolCatalogue,
    private readonly invoker: ToolInvoker,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async orchestrate(job: OrchestrationJob): Promise<OrchestrationResult> {
    const warnings: OrchestrationWarning[] = [];
    const emit: EmitRunEvent = (event) => {
      if (event.type === 'warning') warnings.push({ code: event.code, message: event.message });
      job.emit(event);
    };
    const warn: Warn = (code, message) => emit({ type: 'warning', code, message });
    const { name: strategyName, strategy } = this.strategyOf(job, warn);
    const { template } = job;
    const { enabled, pipeline, checks } = this.phasesOf(job.tools);
    const {
      outcomes: settled,
      trace: { usage: spent = null, ...trace },
    } = await this.execute(strategy, { ...job, emit }, pipeline);
    const { outcomes, sources } = numberSources(settled);
    for (const outcome of outcomes) warnAbout(outcome, warn);
    warnUnfilled(template, enabled, warn);
    if (pipeline.length > 0) job.emit({ type: 'run.progress', message: 'merging tool outputs' });
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
    if (droppedParts > 0) {
      warn(
        'message.parts_dropped',
        `${droppedParts} parts that are no text were left out: the assistant has no vision`,
      );
    }
    return {
      strategy: strategyName,
      outcomes,
      messages,
      sources,
      warnings,
      ...trace,
      usage: addUsage(spent, usageOf(outcomes)),
      afterAnswer: checks.length === 0 ? null : (answer) => this.check(checks, job, outcomes, answer),
    };
  }

  private strategyOf({ strategy: name, runId, assistantId }: OrchestrationJob, warn: Warn): NamedStrategy {
    const strategy = this.strategies.find(name);
    if (strategy !== undefined) return { name, strategy };
    this.logger.warn(`run ${runId} assistant ${assistantId}: unknown strategy, fell back to ${FALLBACK_STRATEGY}`);
    warn('orchestrator.unknown', `There is no strategy '${name.slice(0, 64)}': '${FALLBACK_STRATEGY}' ran instead`);
    return { name: FALLBACK_STRATEGY, strategy: this.strategies.fallback() };
  }

  private phasesOf(tools: readonly PipelineTool[]): Phases {
    const known = this.phases.get(tools);
    if (known !== undefined) return known;
    const enabled = tools.filter((tool) => tool.enabled);
    const checks = enabled.filter(({ plugin, config }) => this.tools.phaseOf(plugin, config) === 'answer');
    const pipeline = checks.length === 0 ? enabled : enabled.filter((tool) => !checks.includes(tool));
    const phases = { enabled, pipeline, checks };
    this.phases.set(tools, phases);
    return phases;
  }

  private async execute(
    strategy: OrchestratorStrategy,
    job: OrchestrationJob,
    tools: readonly PipelineTool[],
  ): Promise<Executed> {
    const scope = new CallScope(job.signal);
    const input = inputOf(job);
    const execution = this.execution(job, scope.stop, (tool, texts, after, step) => {
      const invocation = invocationOf(job, scope, texts, after);
      return step === undefined
        ? this.invoker.invoke(tool, input, invocation)
        : this.invoker.invoke(asStep(tool, step), questionOf(input, step), { ...invocation, step: step.id });
    });
    const request = requestOf(job, this.strategies.options(strategy, job.options));
    let trace: StrategyTrace;
    try {
      const { start, skip, declare } = execution;
      const { signal, emit } = job;
      trace = (await strategy.execute({ request, tools, signal, emit, start, skip, declare })) ?? {};
    } finally {
      scope.close();
    }
    const outcomes = execution.outcomesOf(tools);
    const { fatal } = execution;
    if (fatal !== null) throw new AppError('tool_failed', `The tool ${targetOf(fatal.tool)} failed: ${fatal.message}`);
    if (job.signal.aborted) throw new AppError('cancelled', 'The run was cancelled');
    return { outcomes, trace };
  }

  /** The tools that look at the answer, side by side: nothing waits for what they find. */
  private async check(
    tools: readonly PipelineTool[],
    job: OrchestrationJob,
    after: readonly ToolOutcome[],
    answer: string,
  ): Promise<readonly ToolOutcome[]> {
    const scope = new CallScope(job.signal);
    const input = inputOf(job);
    const invocation = { ...invocationOf(job, scope, PARALLEL_TEXTS, after), answer };
    // The answer is out: a check that fails can stop nothing any more.
    const execution = this.execution(
      job,
      () => undefined,
      (tool) => this.invoker.invoke(tool, input, invocation),
    );
    try {
      const lenient = tools.map((tool) =>
        tool.on_error === 'fail' ? { ...tool, on_error: 'continue' as const } : tool,
      );
      return await Promise.all(lenient.map((tool) => execution.start(tool, PARALLEL_TEXTS, after)));
    } finally {
      scope.close();
    }
  }

  private execution({ emit }: OrchestrationJob, onFatal: () => void, call: ExecutionHooks['call']): Execution {
    return new Execution(this.config.tools.parallelLimit, {
      call,
      onFatal,
      onSkip: ({ index, plugin, placeholder, reason }, step) =>
        emit({
          type: 'tool.skipped',
          index,
          plugin,
          placeholder,
          ...(step === undefined ? {} : { step }),
          reason,
          message: skippedText({ plugin, placeholder }, reason),
        }),
    });
  }
}

const inputOf = ({ messages }: OrchestrationJob): ToolInput => ({
  query: lastQuestion(messages),
  messages,
});

const questionOf = (input: ToolInput, { query }: Step): ToolInput =>
  query === undefined ? input : { ...input, query };

const asStep = (tool: PipelineTool, { config, timeoutMs, fallback }: Step): PipelineTool => ({
  ...tool,
  // The entry's own object where nothing is replaced: what was prepared for it is found by its identity.
  config: config === undefined ? tool.config : { ...tool.config, ...config },
  timeout_ms: timeoutMs ?? tool.timeout_ms,
  fallback: fallback ?? tool.fallback,
});

/** Written out, as a copy made by spreading costs more than the rest of a call that does nothing. */
function invocationOf(
  job: OrchestrationJob,
  scope: CallScope,
  texts: ToolTexts,
  after: readonly ToolOutcome[],
): Invocation {
  const { prompt, results } = new Chain(job.template, after);
  return {
    scope,
    owner: job.owner,
    caller: job.caller,
    assistantId: job.assistantId,
    connector: job.connector,
    runId: job.runId,
    assistants: job.assistants,
    texts,
    emit: job.emit,
    prompt,
    results,
  };
}

const usageOf = (outcomes: readonly ToolOutcome[]): Usage | null =>
  outcomes.reduce<Usage | null>((all, outcome) => ('usage' in outcome ? addUsage(all, outcome.usage) : all), null);

const requestOf = (job: OrchestrationJob, options: JsonObject): StrategyRequest => ({
  runId: job.runId,
  assistantId: job.assistantId,
  assistantVersion: job.assistantVersion,
  question: lastQuestion(job.messages),
  messages: job.messages,
  metadata: job.metadata,
  caller: job.caller,
  owner: job.owner,
  connector: job.connector,
  options,
});

/** What one tool sees of the tools before it; nothing is rendered unless it looks. */
class Chain {
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

/** Two tools with one placeholder (refused at save, found in old documents) both reach its slot, in tool order. */
export function contentByPlaceholder(outcomes: readonly ToolOutcome[]): Map<string, string> {
  const contents = new Map<string, string>();
  for (const outcome of outcomes) {
    if (outcome.status !== 'completed' || outcome.placeholder === null || outcome.content === '') continue;
    const earlier = contents.get(outcome.placeholder);
    contents.set(outcome.placeholder, earlier === undefined ? outcome.content : `${earlier}\n\n${outcome.content}`);
  }
  return contents;
}

function warnAbout(outcome: ToolOutcome, warn: Warn): void {
  if (outcome.status !== 'completed') return;
  for (const warning of outcome.warnings) warn('tool.degraded', `${targetOf(outcome)}: ${warning}`);
}

function warnUnfilled(template: CompiledTemplate, enabled: readonly PipelineTool[], warn: Warn): void {
  if (template.slots.length === 0) return;
  const filled = new Set<string | null>([USER_INPUT, ...enabled.map(({ placeholder }) => placeholder)]);
  const unfilled = [...new Set(template.slots.map(({ name }) => name))].filter((name) => !filled.has(name));
  if (unfilled.length === 0) return;
  const named = unfilled.slice(0, NAMED_SLOTS).map((name) => `{${name}}`);
  const more = unfilled.length > named.length ? ` and ${unfilled.length - named.length} more` : '';
  warn('placeholder.unfilled', `No enabled tool fills ${named.join(', ')}${more}`);
}
