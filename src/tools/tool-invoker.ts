import { type Awaitable, type ToolRef, type Usage, addUsage, after, settle } from '@bellwether/kernel';
import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { type Span, currentSpan, inSpan } from '../infrastructure/context';
import { Call, type CallTrace } from './call';
import { causeOf, describeFailure, failedText, fallbackText, targetOf, traceOf } from './describe-failure';
import { ToolCatalogue } from './tool-catalogue';
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
import type { CheckedOutput } from './read-output';
import { callPipeline } from './call-pipeline';
import { ToolStatistics } from './tool-statistics';
import { ToolMetrics, uncountedTools } from './tool.metrics';

/** Failures that say nothing about the tool: it was not asked, or its owner or the model asked for the impossible. */
const NOT_COUNTED: ReadonlySet<ToolFailureCode> = new Set([
  'tool.unknown',
  'tool.config_invalid',
  'tool.config_incomplete',
  'tool.arguments_invalid',
  'tool.inaccessible',
  'tool.cancelled',
  'tool.unavailable',
  'tool.limit',
]);

interface JournalledFailure {
  readonly code: ToolFailureCode;
  readonly error: unknown;
  /** Adds the stack frames of the error. */
  readonly unexpected: boolean;
}

interface CountedEnd {
  /** null for a call that completed. */
  readonly code: ToolFailureCode | null;
  readonly confidence: number | null;
  readonly fellBack: boolean;
}

export const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;

/** Logs failed calls and counts calls. */
export class CallJournal {
  private readonly logger: Logger;

  constructor(
    private readonly kind: 'tool' | 'function',
    private readonly statistics: ToolStatistics | null,
    private readonly metrics: ToolMetrics,
  ) {
    this.logger = new Logger(`${kind === 'tool' ? 'Tool' : 'Function'}Invoker`);
  }

  /** Logs ids, names and numbers only: a message may quote content. */
  logFailure(
    { runId, owner, assistantId }: Pick<Invocation, 'runId' | 'owner' | 'assistantId'>,
    called: { readonly index: number; readonly tool: string; readonly placeholder?: string | null; function?: string },
    { startedAt, retries, bounded }: Pick<CallTrace, 'startedAt' | 'retries' | 'bounded'>,
    { code, error, unexpected }: JournalledFailure,
  ): void {
    if (code === 'tool.cancelled') return;
    this.logger.warn({
      msg: `${this.kind} failed`,
      run_id: runId,
      organization_id: owner.organizationId,
      assistant_id: assistantId,
      ...called,
      code,
      ...causeOf(error),
      duration_ms: elapsedMs(startedAt),
      retries,
      ...(bounded === null ? {} : { bounded }),
      ...(unexpected ? { trace: traceOf(error) } : {}),
    });
  }

  /** `counted` is the name in the statistics of the organization. */
  count(
    organizationId: string,
    { plugin, counted }: { readonly plugin: string; readonly counted: string },
    { startedAt, retries, cached, tryMs }: Pick<CallTrace, 'startedAt' | 'retries' | 'cached' | 'tryMs'>,
    { code, confidence, fellBack }: CountedEnd,
  ): void {
    this.metrics.called(plugin, this.kind, performance.now() - startedAt, retries, code);
    if (code !== null && NOT_COUNTED.has(code)) return;
    const durationMs = code === null ? tryMs : null;
    this.statistics?.record(organizationId, counted, {
      failed: code !== null,
      retries,
      cached,
      fellBack,
      durationMs,
      confidence,
    });
  }
}

/** Characters of a result or question in a span. */
const MOST_CHARS = 16_000;

interface TracedCall {
  /** The model's id of the call. */
  readonly callId?: string;
  /** Question or arguments. */
  readonly asked: string;
}

/** Null where the trace has too many spans. */
export function beginToolSpan(
  parent: Span,
  kind: 'tool' | 'function',
  tool: string,
  { callId, asked }: TracedCall,
): Span | null {
  return parent.child({
    name: `execute_tool ${tool}`,
    kind: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.type': kind === 'tool' ? 'datastore' : 'function',
      'gen_ai.tool.call.id': callId,
      'gen_ai.tool.call.arguments': parent.capturesContents ? asked.slice(0, MOST_CHARS) : null,
    },
  });
}

interface TracedEnd extends Pick<CallTrace, 'retries' | 'cached'> {
  /** Null for a call that completed. */
  readonly code: ToolFailureCode | null;
  readonly content: string;
}

export function endToolSpan(span: Span, { retries, cached, code, content }: TracedEnd): void {
  span.set({ 'bellwether.tool.retries': retries, 'bellwether.tool.cached': cached });
  if (span.capturesContents) span.set({ 'gen_ai.tool.call.result': content.slice(0, MOST_CHARS) });
  if (code !== null) span.fail(code);
  span.end();
}

/** How one call of the tool, or of its fallback, ended. */
type Ended =
  | { readonly output: CheckedOutput; readonly trace: CallTrace; readonly fallback?: string }
  | { readonly failed: { readonly code: ToolFailureCode; readonly message: string }; readonly trace: CallTrace };

/** The facts that a tool's call and its fallback's share. */
interface Calling {
  readonly ref: ToolRef;
  readonly input: ToolInput;
  readonly invocation: Invocation;
}

/**
 * Calls tools; nothing else does. Each call ends as exactly one outcome, announced by `tool.started` and then
 * `tool.completed` or `tool.failed`, and never throws. The pipeline's policies make one call; fallbacks are decided here.
 */
@Injectable()
export class ToolInvoker {
  private readonly pipeline: ReturnType<typeof callPipeline>;
  private readonly journal: CallJournal;

  constructor(
    private readonly catalogue: ToolCatalogue,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() @Inject(ToolStatistics) statistics: ToolStatistics | null = null,
    @Optional() @Inject(ToolMetrics) metrics: ToolMetrics = uncountedTools(),
  ) {
    this.pipeline = callPipeline(config.tools, metrics);
    this.journal = new CallJournal('tool', statistics, metrics);
  }

  /** Compiles an entry that no assistant holds in this form, such as a plan's step, and calls it. */
  invoke(entry: PipelineTool, input: ToolInput, invocation: Invocation): Awaitable<ToolOutcome> {
    return this.run(this.catalogue.compile(entry), input, invocation);
  }

  /** A tool that waits for nothing has its outcome at once. */
  run(entry: CompiledTool, input: ToolInput, invocation: Invocation): Awaitable<ToolOutcome> {
    const { emit, texts } = invocation;
    const ref = refOf(entry, invocation);
    const calling: Calling = { ref, input, invocation };
    const startedAt = performance.now();
    emit({ type: 'tool.started', ...ref, message: texts.started(targetOf(entry)) });
    return after(this.call(entry, entry.call, calling, startedAt), (first) => {
      const reason = fallbackReason(entry, first);
      const ended = reason === null ? first : this.fallBack(entry, calling, first, reason);
      return after(ended, (last) => this.outcomeOf(entry, calling, last, startedAt));
    });
  }

  /** The outcome of a call, as the reader of the run's events is told. */
  private outcomeOf(entry: CompiledTool, { ref, invocation }: Calling, ended: Ended, startedAt: number): ToolOutcome {
    const { index, plugin, placeholder } = entry;
    const { emit, texts } = invocation;
    const duration_ms = elapsedMs(startedAt);
    const { cached, retries, evidence, bounded: lastBounded, spent } = ended.trace;
    const bounded = lastBounded === null ? NOT_BOUNDED : { bounded: lastBounded };
    if ('failed' in ended) {
      const { code, message } = ended.failed;
      emit({ type: 'tool.failed', ...ref, code, retries, ...bounded, message: failedText(plugin, message) });
      const failed = { index, plugin, placeholder, status: 'failed', code, message, duration_ms, retries } as const;
      return spent === null ? { ...failed, ...bounded } : { ...failed, ...bounded, usage: spent };
    }
    const { output, fallback } = ended;
    const { content, sources, citations, passages, confidence, warnings, query, truncated, saysFit } = output;
    const usage = addUsage(output.usage, spent);
    const search = output.search === null ? {} : { search: output.search };
    const { length: chars } = content;
    const shared = {
      chars,
      confidence,
      cached,
      retries,
      duration_ms,
      ...bounded,
      ...(fallback === undefined ? {} : { fallback }),
      ...search,
    };
    const judged = evidence === undefined ? {} : { evidence };
    const message = texts.completed(entry, chars);
    emit({ type: 'tool.completed', ...ref, sources: sources.length, message, ...shared });
    const kept = {
      content,
      sources,
      citations,
      passages,
      warnings,
      query,
      usage,
      truncated,
      ...(saysFit ? SAYS_FIT : {}),
    };
    return { index, plugin, placeholder, status: 'completed', ...kept, ...shared, ...judged };
  }

  /** One call through the pipeline, counted; its failure is logged. */
  private call(
    entry: PipelineTool,
    prepared: PreparedCall | CallProblem,
    { ref, input, invocation }: Calling,
    startedAt: number,
  ): Awaitable<Ended> {
    const parent = currentSpan();
    const span = parent === null ? null : beginToolSpan(parent, 'tool', entry.plugin, { asked: input.query });
    let call: Call | null = null;
    const end = (ended: Ended): Ended => {
      call?.deadline.close();
      if (span !== null) endToolSpan(span, spanEndOf(ended));
      this.count(invocation, call?.plugin ?? entry.plugin, entry, ended);
      return ended;
    };
    return settle(
      () => {
        if ('code' in prepared) throw new ToolFailure(prepared.code, prepared.message);
        const running = new Call({ prepared, entry, input, invocation, ref, startedAt }, this.config.tools);
        call = running;
        return after(
          inSpan(span, () => this.pipeline(running)),
          (output): Ended => ({ output, trace: running }),
        );
      },
      end,
      (error) => {
        const { code, message, unexpected } = describeFailure(error);
        const ended: Ended = { failed: { code, message }, trace: call ?? notCalled(startedAt) };
        const failed = { ...ref, plugin: call?.plugin ?? entry.plugin };
        this.log(invocation, failed, ended.trace, { code, error, unexpected });
        return end(ended);
      },
    );
  }

  protected log(
    invocation: Invocation,
    { index, plugin, placeholder }: ToolRef,
    trace: CallTrace,
    failure: JournalledFailure,
  ): void {
    this.journal.logFailure(invocation, { index, tool: plugin, placeholder }, trace, failure);
  }

  /** Calls the fallback in the tool's place, with the tool's time and without a fallback of its own. */
  private async fallBack(entry: CompiledTool, calling: Calling, first: Ended, reason: string): Promise<Ended> {
    const { fallback, fallbackCall } = entry;
    const { ref, invocation } = calling;
    if (fallback === null || fallbackCall === null || invocation.scope.isStopped) return first;
    const { plugin, config } = fallback;
    invocation.emit({ type: 'tool.progress', ...ref, message: fallbackText(entry.plugin, plugin, reason) });
    const instead: PipelineTool = { ...entry, plugin, config, retries: null, fallback: null };
    const second = await this.call(instead, fallbackCall, calling, performance.now());
    // The tokens of a failed or unsure result were spent as well.
    if ('failed' in second) return plusSpent(first, second.trace.spent);
    const earlier = 'failed' in first ? null : first.output.usage;
    return { ...plusSpent(second, addUsage(first.trace.spent, earlier)), fallback: plugin };
  }

  private count({ owner }: Invocation, plugin: string, entry: PipelineTool, ended: Ended): void {
    const fellBack = entry.fallback !== null && fallbackReason(entry, ended) !== null;
    const [code, confidence] = 'failed' in ended ? [ended.failed.code, null] : [null, ended.output.confidence];
    this.journal.count(owner.organizationId, { plugin, counted: plugin }, ended.trace, { code, confidence, fellBack });
  }
}

const plusSpent = <E extends Ended>(ended: E, usage: Usage | null): E =>
  usage === null ? ended : { ...ended, trace: { ...ended.trace, spent: addUsage(ended.trace.spent, usage) } };

const spanEndOf = (ended: Ended): TracedEnd => {
  const { retries, cached } = ended.trace;
  const [code, content] = 'failed' in ended ? [ended.failed.code, ''] : [null, ended.output.content];
  return { retries, cached, code, content };
};

const NOT_BOUNDED = {};
const SAYS_FIT = { saysFit: true } as const;

function refOf({ index, plugin, placeholder, label }: PipelineTool, { step }: Invocation): ToolRef {
  const ref: ToolRef = step === undefined ? { index, plugin, placeholder } : { index, plugin, placeholder, step };
  return label === undefined ? ref : { ...ref, label };
}

const notCalled = (startedAt: number): CallTrace => ({
  startedAt,
  evidence: undefined,
  retries: 0,
  cached: false,
  tryMs: null,
  bounded: null,
  spent: null,
});

/** Why the fallback is called, for the progress text; null when it is not. */
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
