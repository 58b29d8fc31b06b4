import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { addUsage, type JsonObject, type ToolRef } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import {
  type Invocation,
  type PipelineTool,
  ToolFailure,
  type ToolFailureCode,
  type ToolInput,
  type ToolOutcome,
} from './contract';
import { describeFailure, traceOf } from './describe-failure';
import type { CheckedOutput } from './read-output';
import { type CallTrace, ResilientCalls, type RunnableTool, type ToolCall } from './resilience/resilient-calls';
import { ToolStatistics } from './resilience/tool-statistics';
import { ToolCatalogue } from './tool-catalogue';
import { failedText, fallbackText, targetOf } from './tool-texts';

export { OUTPUT_LIMIT, type RunnableTool } from './resilience/resilient-calls';

type Resolve = () => Pick<ToolCall, 'plugin' | 'version' | 'tool' | 'config'>;

interface Failed {
  readonly code: ToolFailureCode;
  readonly message: string;
}

/** How a call ended; it is not told yet. */
type Ended =
  | { readonly output: CheckedOutput; readonly trace: CallTrace; readonly fallback?: string }
  | { readonly failed: Failed };

/** What is known of one call all the way. */
interface Calling {
  readonly entry: PipelineTool;
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
    /** Without it nothing is counted, and history shortens no time. */
    @Optional() @Inject(ToolStatistics) private readonly statistics: ToolStatistics | null = null,
  ) {
    this.calls = new ResilientCalls(config.tools, (organizationId, plugin) =>
      statistics === null ? null : statistics.of(organizationId, plugin),
    );
  }

  /** Calls a tool of the catalogue with the entry's config, checked against its schema and filled with its defaults. */
  invoke(entry: PipelineTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    return this.settle(entry, input, invocation, () => this.resolve(entry.plugin, entry.config));
  }

  /** Calls a tool that is not in the catalogue; `entry.config` is taken as it is. */
  run(tool: RunnableTool, entry: PipelineTool, input: ToolInput, invocation: Invocation): Promise<ToolOutcome> {
    return this.settle(entry, input, invocation, () => ({ plugin: entry.plugin, tool, config: entry.config }));
  }

  private resolve(plugin: string, stored: JsonObject): ReturnType<Resolve> {
    const tool = this.catalogue.find(plugin);
    if (tool === undefined) throw new ToolFailure('tool.unknown', `there is no tool named ${plugin}`);
    const { config, problems } = this.catalogue.prepare(tool, stored);
    const [problem] = problems;
    if (problem !== undefined)
      throw new ToolFailure('tool.config_invalid', `${problem.path} ${problem.message}`.trim());
    const { name, version } = tool.definition;
    return { plugin: name, version, tool, config };
  }

  private async settle(
    entry: PipelineTool,
    input: ToolInput,
    invocation: Invocation,
    resolve: Resolve,
  ): Promise<ToolOutcome> {
    const { index, plugin, placeholder } = entry;
    const { emit, texts, step } = invocation;
    const ref: ToolRef = step === undefined ? { index, plugin, placeholder } : { index, plugin, placeholder, step };
    const calling: Calling = { entry, ref, input, invocation };
    const startedAt = performance.now();
    emit({ type: 'tool.started', ...ref, message: texts.started(targetOf(entry)) });
    const first = await this.call(calling, resolve, startedAt);
    const reason = fallbackReason(entry, first);
    const ended = reason === null ? first : await this.fallBack(calling, first, reason);
    const duration_ms = Math.round((performance.now() - startedAt) * 100) / 100;
    if ('failed' in ended) {
      const { code, message } = ended.failed;
      emit({ type: 'tool.failed', ...ref, code, message: failedText(plugin, message) });
      return { index, plugin, placeholder, status: 'failed', code, message, duration_ms };
    }
    const { output, trace, fallback } = ended;
    const { content, sources, citations, confidence, warnings, query, usage, truncated } = output;
    const { cached, retries } = trace;
    const { length: chars } = content;
    const shared = { chars, confidence, cached, retries, duration_ms, ...(fallback === undefined ? {} : { fallback }) };
    const message = texts.completed(entry, chars);
    emit({ type: 'tool.completed', ...ref, sources: sources.length, message, ...shared });
    const kept = { content, sources, citations, warnings, query, usage, truncated };
    return { index, plugin, placeholder, status: 'completed', ...kept, ...shared };
  }

  /** One call with its retries, counted. */
  private async call({ entry, ref, input, invocation }: Calling, resolve: Resolve, startedAt: number): Promise<Ended> {
    const trace: CallTrace = { startedAt, retries: 0, cached: false, tryMs: null };
    let plugin = entry.plugin;
    let ended: Ended;
    try {
      const { version, tool, config, ...found } = resolve();
      plugin = found.plugin;
      const call: ToolCall = { plugin, version, tool, config, entry, input, invocation, ref };
      ended = { output: await this.calls.run(call, trace), trace };
    } catch (error) {
      const { code, message, unexpected } = describeFailure(error);
      if (unexpected) this.logger.warn(`run ${invocation.runId} tool ${entry.index} ${plugin}: ${traceOf(error)}`);
      ended = { failed: { code, message } };
    }
    this.count(invocation, plugin, entry, ended, trace);
    return ended;
  }

  /** In the tool's place and with its time, but not with a fallback of its own. What it answers instead is the outcome. */
  private async fallBack(calling: Calling, first: Ended, reason: string): Promise<Ended> {
    const { entry, ref, invocation } = calling;
    const { fallback } = entry;
    if (fallback === null || invocation.scope.isStopped) return first;
    const { plugin, config } = fallback;
    invocation.emit({ type: 'tool.progress', ...ref, message: fallbackText(entry.plugin, plugin, reason) });
    const instead: PipelineTool = { ...entry, plugin, config, retries: null, fallback: null };
    const resolve: Resolve = () => this.resolve(plugin, config);
    const second = await this.call({ ...calling, entry: instead }, resolve, performance.now());
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
