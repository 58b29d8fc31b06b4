import {
  type EmitRunEvent,
  type JsonObject,
  type Source,
  type ToolRef,
  type Usage,
  isJsonObject,
} from '@bellwether/kernel';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../infrastructure/config';
import { currentSpan, inSpan } from '../infrastructure/context';
import type { RunBudget } from '../runs';
import { Call, type CallSurroundings } from './call';
import { describeFailure, usageOf } from './describe-failure';
import {
  type CallScope,
  type Citation,
  type FunctionContext,
  ToolFailure,
  type ToolFailureCode,
  type ToolOutput,
} from './contract';
import type { OfferedFunction } from './function-offers.service';
import { cleanText, cutText } from './read-output';
import { callPipeline } from './call-pipeline';
import { ToolStatistics, statisticsName } from './tool-statistics';
import { ToolMetrics, uncountedTools } from './tool.metrics';
import { CallJournal, beginToolSpan, elapsedMs, endToolSpan } from './tool-invoker';

/** UTF-16 units of one call's arguments. */
export const ARGUMENTS_LIMIT = 250_000;
const EXCERPT_CHARS = 200;

/** Stands for a name that the model made up. */
const UNKNOWN_FUNCTION = 'unknown';

/** A call as the model asked for it. */
export interface RequestedCall {
  /** Counts the calls of the run, from 0. */
  readonly index: number;
  /** Unique in the run. */
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
  /** Plugin of the function; `unknown` without one. */
  readonly plugin: string;
  /** Name of the offered function; `unknown` without one. */
  readonly name: string;
  readonly duration_ms: number;
  /** The result that the model reads. */
  readonly content: string;
}

export type FunctionOutcome =
  | (OutcomeBase & {
      readonly status: 'completed';
      readonly chars: number;
      readonly cached: boolean;
      readonly sources: readonly Source[];
      /** Positions in `content` that cite `sources`, until the run has numbered them. */
      readonly citations?: readonly Citation[];
      readonly usage: Usage | null;
      readonly warnings: readonly string[];
    })
  | (OutcomeBase & {
      readonly status: 'failed';
      readonly code: ToolFailureCode;
      readonly message: string;
      readonly usage: Usage | null;
    });

/**
 * Calls functions; nothing else does. Each call ends as exactly one outcome with a text for the model, announced by
 * `tool.started` and then `tool.completed` or `tool.failed`, and never rejects.
 */
@Injectable()
export class FunctionInvoker {
  private readonly pipeline: ReturnType<typeof callPipeline>;
  private readonly journal: CallJournal;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Optional() @Inject(ToolStatistics) statistics: ToolStatistics | null = null,
    @Optional() @Inject(ToolMetrics) metrics: ToolMetrics = uncountedTools(),
  ) {
    this.pipeline = callPipeline(config.tools, metrics);
    this.journal = new CallJournal('function', statistics, metrics);
  }

  async invoke(
    call: RequestedCall,
    offered: OfferedFunction | undefined,
    invocation: FunctionInvocation,
  ): Promise<FunctionOutcome> {
    const { emit, owner } = invocation;
    const name = offered?.declaration.name ?? UNKNOWN_FUNCTION;
    const plugin = offered?.plugin.definition.name ?? UNKNOWN_FUNCTION;
    const ref: ToolRef = {
      index: call.index,
      plugin,
      placeholder: null,
      call: { id: call.id, name, round: call.round },
    };
    const names = { plugin, counted: offered === undefined ? plugin : statisticsName(offered.plugin.definition) };
    const trace = { startedAt: performance.now(), retries: 0, cached: false, bounded: null, spent: null };
    const parent = currentSpan();
    const traced = { callId: call.id, asked: call.arguments };
    const span = parent === null ? null : beginToolSpan(parent, 'function', plugin, traced);
    emit({ type: 'tool.started', ...ref, message: `🔧 Calling ${name}...` });
    try {
      const output = await inSpan(span, () => this.attempt(call, offered, ref, invocation));
      if (span !== null) endToolSpan(span, { ...trace, code: null, content: output.content });
      const duration_ms = elapsedMs(trace.startedAt);
      const outcome = { call, plugin, name, status: 'completed', cached: false, duration_ms, ...output } as const;
      emit(completedEvent(ref, outcome));
      const end = { code: null, confidence: null, fellBack: false };
      this.journal.count(owner.organizationId, names, { ...trace, tryMs: duration_ms }, end);
      return outcome;
    } catch (error) {
      const { code, message, content, unexpected } = failureOf(error);
      if (span !== null) endToolSpan(span, { ...trace, code, content: '' });
      const called = { index: call.index, tool: plugin, function: name };
      this.journal.logFailure(invocation, called, trace, { code, error, unexpected });
      emit({ type: 'tool.failed', ...ref, code, retries: 0, message: `❌ ${name} failed` });
      const end = { code, confidence: null, fellBack: false };
      this.journal.count(owner.organizationId, names, { ...trace, tryMs: null }, end);
      const duration_ms = elapsedMs(trace.startedAt);
      return { call, plugin, name, status: 'failed', code, message, content, duration_ms, usage: usageOf(error) };
    }
  }

  private async attempt(
    requested: RequestedCall,
    offered: OfferedFunction | undefined,
    ref: ToolRef,
    invocation: FunctionInvocation,
  ) {
    const { scope, budget } = invocation;
    if (scope.isStopped) throw new ToolFailure('tool.cancelled', 'cancelled');
    if (offered === undefined) throw new ToolFailure('tool.unknown', 'there is no function of this name');
    const args = readArguments(requested.arguments);
    const problem = offered.check(args);
    if (problem !== null)
      throw new ToolFailure('tool.arguments_invalid', cutText(`invalid arguments: ${problem}`, 500));
    if (budget.isSpent) throw new ToolFailure('tool.limit', 'the run has spent what it may');
    if (!budget.takeCall(`function:${offered.declaration.name}`))
      throw new ToolFailure('tool.limit', 'this function was called too often for one answer');
    const call = this.callOf(args, offered, ref, invocation);
    try {
      const { content, givenChars, truncated, sources, citations, usage, warnings } = await this.pipeline(call);
      const read = truncated ? `${content}\n[the rest was left out]` : content;
      return { content: read, chars: givenChars, sources, citations, usage, warnings };
    } finally {
      call.deadline.close();
    }
  }

  /** A function runs as a tool with one try, whose config is the arguments. A circuit would look like a denied access. */
  private callOf(args: JsonObject, offered: OfferedFunction, ref: ToolRef, invocation: FunctionInvocation): Call {
    const { declaration, plugin, config } = offered;
    const { defaultTimeoutMs } = this.config.tools;
    const timeout_ms = Math.min(plugin.timeoutMs ?? defaultTimeoutMs, invocation.budget.remainingMs);
    return new Call(
      {
        prepared: {
          plugin: ref.plugin,
          config: args,
          configKey: '',
          tool: {
            circuit: false,
            // The output check of the pipeline fills in members that functions may leave out.
            run: (_args, _input, context) =>
              plugin.call(declaration.name, args, config, context) as Promise<ToolOutput>,
          },
        },
        entry: { timeout_ms, retries: 0, cache: false },
        input: NO_INPUT,
        invocation: surroundingsOf(invocation),
        ref,
        startedAt: performance.now(),
      },
      this.config.tools,
    );
  }
}

const NO_INPUT = { query: '', messages: [] };
const NO_RESULTS = new Map<string, never>();

/** Assigned field by field: object spread took a quarter of the time of a call that does nothing. */
const surroundingsOf = (invocation: FunctionInvocation): CallSurroundings => ({
  scope: invocation.scope,
  owner: invocation.owner,
  caller: invocation.caller,
  assistantId: invocation.assistantId,
  connector: invocation.connector,
  runId: invocation.runId,
  assistants: invocation.assistants,
  emit: invocation.emit,
  prompt: () => '',
  results: () => NO_RESULTS,
});

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
  if (describeFailure(error).code === 'tool.timeout') {
    return { code: 'tool.timeout', message: LATE, content: `Error: ${LATE}`, unexpected: false } as const;
  }
  const code: ToolFailureCode = 'tool.failed';
  return { code, message: 'the function failed', content: 'Error: the function failed', unexpected: true };
}

const LATE = 'the function took longer than it may';

/** Every denial has the same text, without a reason: a reason would tell that something exists. */
const UNAVAILABLE = 'tool_unavailable';

/** An empty text means no arguments: many models send it for functions without parameters. */
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

/** null for a text that is not a JSON object. */
export function parsedArguments(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The last event of a successful call. */
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
