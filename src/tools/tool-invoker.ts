import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type { JsonObject, ToolRef } from '../kernel';
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
import {
  type CallResult,
  type CallTrace,
  ResilientCalls,
  type RunnableTool,
  type ToolCall,
} from './resilience/resilient-calls';
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
type Ended = { readonly result: CallResult; readonly fallback?: string } | { readonly failed: Failed };

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
    const first = await this.call(calling, resolve);
    const reason = fallbackReason(entry, first);
    const ended = reason === null ? first : await this.fallBack(calling, first, reason);
    const duration_ms = Math.round((performance.now() - startedAt) * 100) / 100;
    if ('failed' in ended) {
      const { code, message } = ended.failed;
      emit({ type: 'tool.failed', ...ref, code, message: failedText(plugin, message) });
      return { index, plugin, placeholder, status: 'failed', code, message, duration_ms };
    }
    const { result } = ended;
    const { length: chars } = result.content;
    const { confidence, cached, retries } = result;
    const shared = { chars, confidence, cached, retries, duration_ms, ...instead(ended.fallback) };
    const sources = result.sources.length;
    emit({ type: 'tool.completed', ...ref, sources, message: texts.completed(entry, chars), ...shared });
    return { index, plugin, placeholder, status: 'completed', ...result, ...shared };
  }

  /** One call with its retries, counted. */
  private async call({ entry, ref, input, invocation }: Calling, resolve: Resolve): Promise<Ended> {
    const trace: CallTrace = { retries: 0, tryMs: null };
    let plugin = entry.plugin;
    let ended: Ended;
    try {
      const found = resolve();
      plugin = found.plugin;
      ended = { result: await this.calls.run({ ...found, entry, input, invocation, ref }, trace) };
    } catch (error) {
      const { code, message, unexpected } = describeFailure(error);
      if (unexpected) this.logger.warn(`run ${invocation.runId} tool ${entry.index} ${plugin}: ${traceOf(error)}`);
      ended = { failed: { code, message } };
    }
    if (this.statistics !== null) this.count(this.statistics, plugin, calledBy(invocation), entry, ended, trace);
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
    const second = await this.call({ ...calling, entry: instead }, () => this.resolve(plugin, config));
    return 'failed' in second ? first : { ...second, fallback: plugin };
  }

  private count(
    statistics: ToolStatistics,
    plugin: string,
    organizationId: string,
    entry: PipelineTool,
    ended: Ended,
    { retries, tryMs }: CallTrace,
  ): void {
    const fellBack = entry.fallback !== null && fallbackReason(entry, ended) !== null;
    if ('failed' in ended) {
      if (NOT_COUNTED.has(ended.failed.code)) return;
      statistics.record(organizationId, plugin, {
        failed: true,
        retries,
        cached: false,
        fellBack,
        durationMs: null,
        confidence: null,
      });
      return;
    }
    const { cached, confidence } = ended.result;
    statistics.record(organizationId, plugin, {
      failed: false,
      retries,
      cached,
      fellBack,
      durationMs: tryMs,
      confidence,
    });
  }
}

const calledBy = ({ owner }: Invocation): string => owner.organizationId;

const instead = (fallback: string | undefined): { fallback?: string } => (fallback === undefined ? {} : { fallback });

/** Why another tool is to answer, for the progress; null when it is not. */
function fallbackReason({ on_error, fallback }: PipelineTool, ended: Ended): string | null {
  if (fallback === null) return null;
  if ('failed' in ended) {
    const wanted = on_error === 'fallback' || fallback.condition === 'on_error';
    return wanted && ended.failed.code !== 'tool.cancelled' ? ended.failed.message : null;
  }
  const { confidence } = ended.result;
  const unsure = fallback.condition === 'on_low_confidence' && confidence !== null && confidence < fallback.threshold;
  return unsure ? `confidence ${confidence.toFixed(2)} is below ${fallback.threshold}` : null;
}
