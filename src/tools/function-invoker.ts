import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { type EmitRunEvent, isJsonObject, type JsonObject, type Source, type ToolRef, type Usage } from '../kernel';
import { CONFIG, type Config } from '../platform/config';
import type { RunBudget } from '../runs';
import { cleanText, cutText } from './calls/clean-text';
import { type CallScope, type Citation, type FunctionContext, ToolFailure, type ToolFailureCode } from './contract';
import { withinDeadline } from './calls/deadline';
import { causeOf, traceOf } from './describe-failure';
import type { OfferedFunction } from './function-set';
import { readOutput } from './calls/read-output';
import { statisticsName, ToolStatistics } from './resilience/tool-statistics';

/** UTF-16 units of one call's arguments. */
export const ARGUMENTS_LIMIT = 250_000;
/** UTF-16 units of a result that reach the model. */
const RESULT_LIMIT = 50_000;
const PROGRESS_CHARS = 200;
const EXCERPT_CHARS = 200;

/** What stands where the name of a function would: what a model made up is nobody's name. */
export const UNKNOWN_FUNCTION = 'unknown';

/** A call as the model asked for it. */
export interface RequestedCall {
  /** Counts the calls of the run, from 0. */
  readonly index: number;
  /** One of its kind in the run. */
  readonly id: string;
  readonly round: number;
  readonly name: string;
  /** JSON as the model wrote it; may be anything. */
  readonly arguments: string;
}

/** The context that all calls of one run share. */
export interface FunctionInvocation extends Omit<FunctionContext, 'signal' | 'progress'> {
  readonly scope: CallScope;
  readonly budget: RunBudget;
  readonly emit: EmitRunEvent;
}

interface OutcomeBase {
  readonly call: RequestedCall;
  /** Plugin that answers for the function; `unknown` when there is none. */
  readonly plugin: string;
  /** Name of the offered function; `unknown` when there is none. */
  readonly name: string;
  readonly duration_ms: number;
  /** What the model gets. */
  readonly content: string;
}

export type FunctionOutcome =
  | (OutcomeBase & {
      readonly status: 'completed';
      readonly chars: number;
      readonly cached: boolean;
      readonly sources: readonly Source[];
      /** Where `content` cites `sources`, until the run has numbered them. */
      readonly citations?: readonly Citation[];
      readonly usage: Usage | null;
      readonly warnings: readonly string[];
    })
  | (OutcomeBase & { readonly status: 'failed'; readonly code: ToolFailureCode; readonly message: string });

/**
 * The one place that calls functions. Whatever the model asked for and whatever happens in there ends as exactly one
 * outcome with a text for the model, told by `tool.started` and then `tool.completed` or `tool.failed`; never rejects.
 */
@Injectable()
export class FunctionInvoker {
  private readonly logger = new Logger(FunctionInvoker.name);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    /** Without it nothing is counted. */
    @Optional() @Inject(ToolStatistics) private readonly statistics: ToolStatistics | null = null,
  ) {}

  async invoke(
    call: RequestedCall,
    offered: OfferedFunction | undefined,
    invocation: FunctionInvocation,
  ): Promise<FunctionOutcome> {
    const { emit } = invocation;
    const name = offered?.declaration.name ?? UNKNOWN_FUNCTION;
    const plugin = offered?.plugin.definition.name ?? UNKNOWN_FUNCTION;
    const ref: ToolRef = {
      index: call.index,
      plugin,
      placeholder: null,
      call: { id: call.id, name, round: call.round },
    };
    const startedAt = performance.now();
    const elapsed = (): number => Math.round((performance.now() - startedAt) * 100) / 100;
    emit({ type: 'tool.started', ...ref, message: `🔧 Calling ${name}...` });
    try {
      const output = await this.attempt(call, offered, ref, invocation);
      const duration_ms = elapsed();
      const outcome = { call, plugin, name, status: 'completed', cached: false, duration_ms, ...output } as const;
      emit(completedEvent(ref, outcome));
      this.count(offered, invocation, duration_ms);
      return outcome;
    } catch (error) {
      const { code, message, content, unexpected } = failureOf(error);
      if (code !== 'tool.cancelled')
        this.logger.warn({
          msg: 'function failed',
          run_id: invocation.runId,
          organization_id: invocation.owner.organizationId,
          assistant_id: invocation.assistantId,
          index: call.index,
          tool: plugin,
          function: name,
          code,
          ...causeOf(error),
          duration_ms: elapsed(),
          retries: 0,
          ...(unexpected ? { trace: traceOf(error) } : {}),
        });
      emit({ type: 'tool.failed', ...ref, code, retries: 0, message: `❌ ${name} failed` });
      if (!NOT_COUNTED.has(code)) this.count(offered, invocation, null);
      return { call, plugin, name, status: 'failed', code, message, content, duration_ms: elapsed() };
    }
  }

  /** `durationMs` null: it failed. */
  private count(offered: OfferedFunction | undefined, { owner }: FunctionInvocation, durationMs: number | null): void {
    if (this.statistics === null || offered === undefined) return;
    const failed = durationMs === null;
    const call = { failed, retries: 0, cached: false, fellBack: false, durationMs, confidence: null };
    this.statistics.record(owner.organizationId, statisticsName(offered.plugin.definition), call);
  }

  private async attempt(
    call: RequestedCall,
    offered: OfferedFunction | undefined,
    ref: ToolRef,
    invocation: FunctionInvocation,
  ) {
    if (invocation.scope.isStopped) throw new ToolFailure('tool.cancelled', 'cancelled');
    if (offered === undefined) throw new ToolFailure('tool.unknown', 'there is no function of this name');
    const args = readArguments(call.arguments);
    const problem = offered.check(args);
    if (problem !== null)
      throw new ToolFailure('tool.arguments_invalid', cutText(`invalid arguments: ${problem}`, 500));
    const { name } = offered.declaration;
    if (invocation.budget.isSpent) throw new ToolFailure('tool.limit', 'the run has spent what it may');
    if (!invocation.budget.takeCall(`function:${name}`))
      throw new ToolFailure('tool.limit', 'this function was called too often for one answer');
    const raw = await this.run(name, args, offered, ref, invocation);
    const { content, sources, citations, warnings, truncated } = readOutput(raw, RESULT_LIMIT);
    const usage: Usage | null = raw.usage ?? null;
    return {
      content: truncated ? `${content}\n[the rest was left out]` : content,
      chars: raw.content.length,
      sources,
      citations,
      usage,
      warnings,
    };
  }

  private run(
    name: string,
    args: JsonObject,
    { plugin, config }: OfferedFunction,
    ref: ToolRef,
    { scope, budget, emit, ...context }: FunctionInvocation,
  ) {
    const timeoutMs = Math.min(plugin.timeoutMs ?? this.config.tools.defaultTimeoutMs, budget.remainingMs);
    let open = true;
    const progress = (message: string): void => {
      if (!open || typeof message !== 'string') return;
      const line = cleanText(cutText(message, PROGRESS_CHARS)).replaceAll(/[\r\n]+/g, ' ');
      emit({ type: 'tool.progress', ...ref, message: line });
    };
    const work = ({ signal }: AbortController) => plugin.call(name, args, config, { ...context, signal, progress });
    return withinDeadline(work, { timeoutMs, scope }).finally(() => (open = false));
  }
}

/** Error texts of other systems never reach the model: they could be instructions. */
function failureOf(error: unknown) {
  if (error instanceof ToolFailure) {
    const { code, message } = error;
    return {
      code,
      message,
      content: code === 'tool.unavailable' ? UNAVAILABLE : `Error: ${message}`,
      unexpected: false,
    };
  }
  const code: ToolFailureCode = 'tool.failed';
  return { code, message: 'the function failed', content: 'Error: the function failed', unexpected: true };
}

/** The model asked for something that was not done: it says nothing of the function. */
const NOT_COUNTED: ReadonlySet<ToolFailureCode> = new Set([
  'tool.unknown',
  'tool.arguments_invalid',
  'tool.cancelled',
  'tool.inaccessible',
  'tool.unavailable',
  'tool.limit',
]);

/** ACCESS.md: every denial says the same, and no reason. */
const UNAVAILABLE = 'tool_unavailable';

/** No text is no arguments: many models send it for functions without any. */
function readArguments(text: string): JsonObject {
  if (text.length > ARGUMENTS_LIMIT)
    throw new ToolFailure('tool.arguments_invalid', `the arguments are longer than ${ARGUMENTS_LIMIT} characters`);
  const args = parsedArguments(text);
  if (args === null) {
    const excerpt = cleanText(cutText(text, EXCERPT_CHARS));
    throw new ToolFailure('tool.arguments_invalid', `the arguments are no JSON object: ${excerpt}`);
  }
  return args;
}

/** null for what is no JSON object. */
export function parsedArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The last event of a call that delivered. */
export const completedEvent = (
  ref: ToolRef,
  { name, chars, sources, duration_ms, cached }: Extract<FunctionOutcome, { status: 'completed' }>,
) =>
  ({
    type: 'tool.completed',
    ...ref,
    chars,
    sources: sources.length,
    duration_ms,
    cached,
    confidence: null,
    retries: 0,
    message: `✅ ${name} completed`,
  }) as const;
