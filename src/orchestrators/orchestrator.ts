import { Inject, Injectable, Logger } from '@nestjs/common';
import { AppError, lastUserIndex, textOf } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import { assembleMessages } from '../processors';
import { type CompiledTemplate, USER_INPUT } from '../templates';
import {
  CallScope,
  type Invocation,
  type PipelineTool,
  skippedText,
  targetOf,
  ToolInvoker,
  type ToolOutcome,
} from '../tools';
import type { OrchestratorStrategy, StrategyRequest } from './contract';
import { Execution } from './execution';
import { numberSources } from './number-sources';
import type { OrchestrationJob, OrchestrationResult, OrchestrationWarning } from './orchestration.types';
import { FALLBACK_STRATEGY, StrategyCatalogue } from './strategy-catalogue';

const NAMED_SLOTS = 10;

type Warn = (code: string, message: string) => void;

interface NamedStrategy {
  readonly name: string;
  readonly strategy: OrchestratorStrategy;
}

/**
 * Runs the tools of one request under a strategy and builds the messages for the model. Outcomes are kept by position, never
 * by placeholder or finish time. Rejects with `tool_failed` when a tool that must not fail failed, and with `cancelled`
 * when the run was aborted; every other failure leaves an empty slot and a trace in events and outcomes.
 */
@Injectable()
export class Orchestrator {
  private readonly logger = new Logger(Orchestrator.name);

  constructor(
    private readonly strategies: StrategyCatalogue,
    private readonly invoker: ToolInvoker,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async orchestrate(job: OrchestrationJob): Promise<OrchestrationResult> {
    const warnings: OrchestrationWarning[] = [];
    const warn: Warn = (code, message) => {
      warnings.push({ code, message });
      job.emit({ type: 'warning', code, message });
    };
    const { name: strategyName, strategy } = this.strategyOf(job, warn);
    const { template } = job;
    const enabled = job.tools.filter((tool) => tool.enabled);
    const settled = await this.execute(strategy, job, enabled);
    const { outcomes, sources } = numberSources(settled);
    for (const outcome of outcomes) warnAbout(outcome, warn);
    warnUnfilled(template, enabled, warn);
    if (enabled.length > 0) job.emit({ type: 'run.progress', message: 'merging tool outputs' });
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
    return { strategy: strategyName, outcomes, messages, sources, warnings };
  }

  private strategyOf({ strategy: name, runId, assistantId }: OrchestrationJob, warn: Warn): NamedStrategy {
    const strategy = this.strategies.find(name);
    if (strategy !== undefined) return { name, strategy };
    this.logger.warn(`run ${runId} assistant ${assistantId}: unknown strategy, fell back to ${FALLBACK_STRATEGY}`);
    warn('orchestrator.unknown', `There is no strategy '${name.slice(0, 64)}': '${FALLBACK_STRATEGY}' ran instead`);
    return { name: FALLBACK_STRATEGY, strategy: this.strategies.fallback() };
  }

  private async execute(
    strategy: OrchestratorStrategy,
    job: OrchestrationJob,
    enabled: readonly PipelineTool[],
  ): Promise<readonly ToolOutcome[]> {
    const scope = new CallScope(job.signal);
    const input = { query: textOf(job.messages[lastUserIndex(job.messages)]?.content), messages: job.messages };
    const execution = new Execution(
      (tool, texts, after) => {
        const seen = new Chain(job.template, after);
        const invocation: Invocation = {
          scope,
          owner: job.owner,
          caller: job.caller,
          assistantId: job.assistantId,
          connector: job.connector,
          runId: job.runId,
          assistants: job.assistants,
          texts,
          emit: job.emit,
          prompt: seen.prompt,
          results: seen.results,
        };
        return this.invoker.invoke(tool, input, invocation);
      },
      this.config.tools.parallelLimit,
      scope.stop,
    );
    try {
      await strategy.execute({
        request: requestOf(job),
        tools: enabled,
        signal: job.signal,
        emit: job.emit,
        start: execution.start,
        skip: execution.skip,
        declare: () => undefined,
      });
    } finally {
      scope.close();
    }
    const outcomes = execution.outcomesOf(enabled);
    for (const outcome of outcomes) tellSkipped(outcome, job);
    const { fatal } = execution;
    if (fatal !== null) throw new AppError('tool_failed', `The tool ${targetOf(fatal.tool)} failed: ${fatal.message}`);
    if (job.signal.aborted) throw new AppError('cancelled', 'The run was cancelled');
    return outcomes;
  }
}

const requestOf = (job: OrchestrationJob): StrategyRequest => ({
  runId: job.runId,
  assistantId: job.assistantId,
  assistantVersion: job.assistantVersion,
  question: textOf(job.messages[lastUserIndex(job.messages)]?.content),
  messages: job.messages,
  metadata: job.metadata,
  caller: job.caller,
  owner: job.owner,
  connector: job.connector,
  options: job.options,
});

/** Every tool has an end in the events, also one that never began. */
function tellSkipped(outcome: ToolOutcome, { emit }: OrchestrationJob): void {
  if (outcome.status !== 'skipped') return;
  const { index, plugin, placeholder, reason } = outcome;
  emit({ type: 'tool.skipped', index, plugin, placeholder, reason, message: skippedText(outcome, reason) });
}

/** What one tool sees of the tools before it; nothing is rendered unless it looks. */
class Chain {
  constructor(
    private readonly template: CompiledTemplate,
    private readonly after: readonly ToolOutcome[],
  ) {}

  readonly prompt = (): string => {
    const { outcomes } = numberSources(this.after);
    const contents = contentByPlaceholder(outcomes);
    for (const { placeholder } of outcomes) {
      if (placeholder !== null && !contents.has(placeholder)) contents.set(placeholder, '');
    }
    return this.template.renderPartial(contents);
  };

  readonly results = (): ReadonlyMap<string, ToolOutcome> => {
    const { outcomes } = numberSources(this.after);
    return new Map(
      outcomes.flatMap((outcome) => (outcome.placeholder === null ? [] : [[outcome.placeholder, outcome]])),
    );
  };
}

/** Two tools with one placeholder (refused at save, found in old documents) both reach its slot, in tool order. */
function contentByPlaceholder(outcomes: readonly ToolOutcome[]): Map<string, string> {
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
