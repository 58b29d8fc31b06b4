import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { addUsage, type ToolRef } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import {
  type CallProblem,
  type CompiledTool,
  type Invocation,
  type PipelineTool,
  type PreparedCall,
  ToolFailure,
  type ToolFailureCode,
  type ToolInput,
  type ToolOutcome,
} from './contract';
import { causeOf, describeFailure, traceOf } from './describe-failure';
import type { CheckedOutput } from './calls/read-output';
import type { CallTrace, ToolCall } from './resilience/call.types';
import { ResilientCalls } from './resilience/resilient-calls';
import { ToolStatistics } from './resilience/tool-statistics';
import { ToolCatalogue } from './tool-catalogue';
import { failedText, fallbackText, targetOf } from './calls/tool-texts';

export { OUTPUT_LIMIT } from './resilience/resilient-calls';

interface Failed {
  readonly code: ToolFailureCode;
  readonly message: string;
}

/** How a call ended; it is not told yet. */
type Ended =
  | { readonly output: CheckedOutput; readonly trace: CallTrace; readonly fallback?: string }
  | { readonly failed: Failed; readonly trace: CallTrace };

/** What is known of one call all the way. */
interface Calling {
  readonly entry: PipelineTool;
  readonly prepared: PreparedCall | CallProblem;
  readonly ref: ToolRef;
  readonly input: ToolInput;
  readonly invocation: Invocation;
}

/** Says nothing of the tool: it was not asked, or not for long, or the owner may not ask it that. */
const NOT_COUNTED: ReadonlySet<ToolFailureCode> = new Set([
  'tool.unknown',
  'tool.config_invalid',
  'tool.config_incomplete',
  'tool.inaccessible',
  'tool.cancelled',
  'tool.unavailable',
]);

/**
 * The one place that calls tools. Whatever happens in there ends as exactly one outcome, told by `tool.started` and then
 * `tool.completed` or `tool.failed`; nothing is thrown past here. Time, retries, circuits and kept results are those of
 * `ResilientCalls`; what runs in a failed tool's place is decided here.
 */
@Injectable()
export class ToolInvoker {
  private readonly logger = new Logger(ToolInvoker.name);
  private readonly calls: ResilientCalls;

  constructor(
    private readonly catalogue: ToolCatalogue,
    @Inject(CONFIG) config: Config,
    /** Counts calls where given. */
    @Optional() @Inject(ToolStatistics) private readonly statistics: ToolStatistics | null = null,
  ) {
    this.calls = new ResilientCalls(config.tools);
  }

  /** Compiles an entry that no assistant holds as it is, such as a plan's step, and calls it. */
  invoke(entry: PipelineTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    return this.run(this.catalogue.compile(entry), input, invocation);
  }

  async run(entry: CompiledTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    const { index, plugin, placeholder } = entry;
    const { emit, texts, step } = invocation;
    const ref: ToolRef = step === undefined ? { index, plugin, placeholder } : { index, plugin, placeholder, step };
    const calling: Calling = { entry, prepared: entry.call, ref, input, invocation };
    const startedAt = performance.now();
    emit({ type: 'tool.started', ...ref, message: texts.started(targetOf(entry)) });
    const first = await this.call(calling, startedAt);
    const reason = fallbackReason(entry, first);
    const ended = reason === null ? first : await this.fallBack(calling, entry.fallbackCall, first, reason);
    const duration_ms = elapsedMs(startedAt);
    const { cached, retries, evidence, bounded: lastBounded } = ended.trace;
    const bounded = lastBounded === null ? NOT_BOUNDED : { bounded: lastBounded };
    if ('failed' in ended) {
      const { code, message } = ended.failed;
      emit({ type: 'tool.failed', ...ref, code, retries, ...bounded, message: failedText(plugin, message) });
      return { index, plugin, placeholder, status: 'failed', code, message, duration_ms, retries, ...bounded };
    }
    const { output, fallback } = ended;
    const { content, sources, citations, confidence, warnings, query, usage, truncated } = output;
    const { length: chars } = content;
    const shared = {
      chars,
      confidence,
      cached,
      retries,
      duration_ms,
      ...bounded,
      ...(fallback === undefined ? {} : { fallback }),
    };
    const judged = evidence === undefined ? {} : { evidence };
    const message = texts.completed(entry, chars);
    emit({ type: 'tool.completed', ...ref, sources: sources.length, message, ...shared });
    const kept = { content, sources, citations, warnings, query, usage, truncated };
    return { index, plugin, placeholder, status: 'completed', ...kept, ...shared, ...judged };
  }

  /** One call with its retries, counted. */
  private async call({ entry, prepared, ref, input, invocation }: Calling, startedAt: number): Promise<Ended> {
    const trace: CallTrace = { startedAt, retries: 0, cached: false, tryMs: null, bounded: null, evidence: undefined };
    let plugin = entry.plugin;
    let ended: Ended;
    try {
      if ('code' in prepared) throw new ToolFailure(prepared.code, prepared.message);
      plugin = prepared.plugin;
      const { version, evidence, tool, config, configKey } = prepared;
      trace.evidence = evidence;
      const call: ToolCall = { plugin, version, tool, config, configKey, entry, input, invocation, ref };
      ended = { output: await this.calls.run(call, trace), trace };
    } catch (error) {
      const { code, message, unexpected } = describeFailure(error);
      ended = { failed: { code, message }, trace };
      if (code !== 'tool.cancelled') this.log(invocation, { ...ref, plugin, code }, trace, error, unexpected);
    }
    this.count(invocation, plugin, entry, ended, trace);
    return ended;
  }

  /** Ids, names and numbers: a message may quote content. */
  protected log(
    { runId, owner, assistantId }: Invocation,
    { index, plugin, placeholder, code }: Pick<PipelineTool, 'index' | 'plugin' | 'placeholder'> & Pick<Failed, 'code'>,
    { startedAt, retries, bounded }: CallTrace,
    error: unknown,
    unexpected: boolean,
  ): void {
    this.logger.warn({
      msg: 'tool failed',
      run_id: runId,
      organization_id: owner.organizationId,
      assistant_id: assistantId,
      index,
      tool: plugin,
      placeholder,
      code,
      ...causeOf(error),
      duration_ms: elapsedMs(startedAt),
      retries,
      ...(bounded === null ? {} : { bounded }),
      ...(unexpected ? { trace: traceOf(error) } : {}),
    });
  }

  /** In the tool's place and with its time, but not with a fallback of its own. What it answers instead is the outcome. */
  private async fallBack(
    calling: Calling,
    prepared: CompiledTool['fallbackCall'],
    first: Ended,
    reason: string,
  ): Promise<Ended> {
    const { entry, ref, invocation } = calling;
    const { fallback } = entry;
    if (fallback === null || prepared === null || invocation.scope.isStopped) return first;
    const { plugin, config } = fallback;
    invocation.emit({ type: 'tool.progress', ...ref, message: fallbackText(entry.plugin, plugin, reason) });
    const instead: PipelineTool = { ...entry, plugin, config, retries: null, fallback: null };
    const second = await this.call({ ...calling, entry: instead, prepared }, performance.now());
    if ('failed' in second) return first;
    // An unsure answer has been paid for as well.
    const usage = 'failed' in first ? second.output.usage : addUsage(first.output.usage, second.output.usage);
    return { ...second, output: { ...second.output, usage }, fallback: plugin };
  }

  private count({ owner }: Invocation, plugin: string, entry: PipelineTool, ended: Ended, trace: CallTrace): void {
    if (this.statistics === null) return;
    const failed = 'failed' in ended;
    if (failed && NOT_COUNTED.has(ended.failed.code)) return;
    const { retries, cached, tryMs } = trace;
    const fellBack = entry.fallback !== null && fallbackReason(entry, ended) !== null;
    const confidence = failed ? null : ended.output.confidence;
    const call = { failed, retries, cached, fellBack, durationMs: failed ? null : tryMs, confidence };
    this.statistics.record(owner.organizationId, plugin, call);
  }
}

const NOT_BOUNDED = {};

const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;

/** Why another tool is to answer, for the progress; null when it is not. */
function fallbackReason({ on_error, fallback }: PipelineTool, ended: Ended): string | null {
  if (fallback === null) return null;
  if ('failed' in ended) {
    const wanted = on_error === 'fallback' || fallback.condition === 'on_error';
    return wanted && ended.failed.code !== 'tool.cancelled' ? ended.failed.message : null;
  }
  const { confidence } = ended.output;
  const unsure = fallback.condition === 'on_low_confidence' && confidence !== null && confidence < fallback.threshold;
  return unsure ? `confidence ${confidence.toFixed(2)} is below ${fallback.threshold}` : null;
}
