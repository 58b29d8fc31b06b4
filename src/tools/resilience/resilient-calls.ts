import type { EmitRunEvent, JsonObject, ToolRef } from '../../kernel';
import type { Config } from '../../platform/config';
import { CallContext } from '../call-context';
import { type Invocation, type PipelineTool, type Tool, ToolFailure, type ToolInput } from '../contract';
import { pause, withinDeadline } from '../deadline';
import { type CheckedOutput, readOutput } from '../read-output';
import { retryText } from '../tool-texts';
import { delaysOf } from './backoff';
import { Bulkheads } from './bulkheads';
import { callTimes, type CallTimes } from './call-times';
import { Circuits } from './circuits';
import { kindOf } from './failure-kind';
import { type KeepableCall, KeptResults } from './kept-results';
import type { ToolStats } from './tool-counts.types';

/** UTF-16 units of one tool's content that reach the prompt, unless the tool says otherwise. */
export const OUTPUT_LIMIT = 50_000;
/** A try that had less than this, in milliseconds, says nothing of the other side when it is out of time. */
const FAIR_MS = 1_000;

/** The part of a tool that runs: what the catalogue holds, and what classic's RAG processors are. */
export type RunnableTool = Pick<Tool, 'run' | 'outputLimit' | 'timeoutMs' | 'retries' | 'caching' | 'target'>;

/** One call to be made. `config` is checked and complete. */
export interface ToolCall {
  /** Canonical name. */
  readonly plugin: string;
  /** Of the tool's definition; without it results are not kept. */
  readonly version?: string;
  readonly tool: RunnableTool;
  readonly config: JsonObject;
  readonly entry: Pick<PipelineTool, 'timeout_ms' | 'retries' | 'cache'>;
  readonly input: ToolInput;
  readonly invocation: Invocation;
  /** Names the call in events. */
  readonly ref: ToolRef;
}

export interface CallResult extends CheckedOutput {
  readonly cached: boolean;
  readonly retries: number;
}

/** Told of every retry and of the time that the last try took, whatever the call comes to. */
export interface CallTrace {
  retries: number;
  /** Milliseconds of the try that succeeded; null while none did. */
  tryMs: number | null;
}

interface Started {
  readonly call: ToolCall;
  readonly times: CallTimes;
  readonly retries: number;
  /** Milliseconds that a try must have had to say something of the other side. */
  readonly fairMs: number;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
  readonly trace: CallTrace;
  /** null where the result is not to be kept. */
  readonly keepable: KeepableCall | null;
}

type ToolsConfig = Config['tools'];

/** Time, room, circuit and retries around one call of a tool. Rejects with whatever the last try failed with. */
export class ResilientCalls {
  private readonly circuits = new Circuits();
  private readonly bulkheads: Bulkheads;
  private readonly kept: KeptResults | null;

  constructor(
    private readonly config: ToolsConfig,
    private readonly statsOf: (organizationId: string, plugin: string) => ToolStats | null,
  ) {
    this.bulkheads = new Bulkheads(config.parallelLimit);
    this.kept = config.cacheEnabled && config.cacheTtlMs > 0 ? new KeptResults(config) : null;
  }

  async run(call: ToolCall, trace: CallTrace): Promise<CallResult> {
    const started = this.start(call, trace);
    if (this.kept === null || !call.entry.cache || call.tool.caching === undefined) return this.fresh(started);
    const keepable = await this.keepable(this.kept, started);
    if (keepable === null) return this.fresh(started);
    const known = this.kept.find(keepable, call.ref, limitOf(call));
    if (known !== undefined) return { ...known, cached: true, retries: 0 };
    const result = await this.fresh({ ...started, keepable });
    this.kept.keep(keepable, result);
    return result;
  }

  private async fresh(started: Started): Promise<CallResult> {
    const { tool } = started.call;
    const target = tool.target === undefined ? null : await this.targetOf(started);
    const output = await (target === null ? this.guarded(started, null) : this.inBulkhead(started, target));
    return { ...output, cached: false, retries: started.trace.retries };
  }

  private keepable(kept: KeptResults, { call, endsAt }: Started): Promise<KeepableCall | null> {
    const { plugin, version, tool, config, input, invocation } = call;
    const { caching } = tool;
    if (caching === undefined || version === undefined) return Promise.resolve(null);
    const keyed = { plugin, version, config, input, invocation, caching };
    return withinDeadline(({ signal }) => kept.open(keyed, signal), {
      timeoutMs: endsAt - performance.now(),
      scope: invocation.scope,
    });
  }

  private start(call: ToolCall, trace: CallTrace): Started {
    const { tool, entry, plugin, invocation } = call;
    const retries = entry.retries ?? tool.retries ?? this.config.maxRetries;
    const baseMs = tool.timeoutMs ?? this.config.defaultTimeoutMs;
    const stats = this.statsOf(invocation.owner.organizationId, plugin);
    const times = callTimes({ timeoutMs: entry.timeout_ms, baseMs, retries, stats, config: this.config });
    const endsAt = performance.now() + times.totalMs;
    return { call, times, retries, fairMs: Math.min(FAIR_MS, baseMs), endsAt, trace, keepable: null };
  }

  /** null where the tool cannot say: then the call itself will tell why. */
  private targetOf({ call, endsAt }: Started): Promise<string | null> {
    const { tool, config, invocation } = call;
    const ask = async (): Promise<string | null> => {
      try {
        return (await tool.target?.(config, invocation)) ?? null;
      } catch {
        return null;
      }
    };
    return withinDeadline(ask, { timeoutMs: endsAt - performance.now(), scope: invocation.scope });
  }

  private inBulkhead(started: Started, target: string): Promise<CheckedOutput> {
    const { scope } = started.call.invocation;
    return withinDeadline(({ signal }) => this.bulkheads.through(target, signal, () => this.guarded(started, target)), {
      timeoutMs: started.endsAt - performance.now(),
      scope,
    });
  }

  private guarded(started: Started, target: string | null): Promise<CheckedOutput> {
    const { plugin, config, invocation } = started.call;
    const { organizationId } = invocation.owner;
    // Without a target it is the config that tells a dead server of one assistant from everybody else's.
    const key = (): string => target ?? JSON.stringify(config);
    return this.circuits.through({ organizationId, plugin, key }, (probe) => this.tries(started, probe ? 0 : null));
  }

  private async tries(started: Started, most: number | null): Promise<CheckedOutput> {
    const { call, endsAt, retries, trace, times } = started;
    let nextDelay: (() => number) | null = null;
    for (;;) {
      try {
        return await this.once(started);
      } catch (error) {
        const kind = kindOf(error);
        if (!kind.retryable || !(trace.retries < (most ?? retries))) throw error;
        nextDelay ??= delaysOf(this.config);
        const backoff = nextDelay();
        const delayMs = kind.retryAfterMs ?? backoff;
        if (performance.now() + delayMs + times.usualMs >= endsAt) throw error;
        trace.retries += 1;
        tellRetry(call.invocation.emit, call.ref, trace.retries, delayMs);
        await pause(delayMs, call.invocation.scope);
      }
    }
  }

  private async once({ call, times, fairMs, endsAt, trace, keepable }: Started): Promise<CheckedOutput> {
    const { tool, config, input, invocation, ref } = call;
    const beganAt = performance.now();
    const timeoutMs = Math.ceil(Math.min(times.tryMs, endsAt - beganAt));
    let context: CallContext | undefined;
    try {
      const raw = await withinDeadline(
        (controller) => {
          context = keepable?.context(ref, controller) ?? new CallContext(ref, invocation, controller);
          return tool.run(config, keepable?.input() ?? input, context);
        },
        { timeoutMs, scope: invocation.scope },
      );
      const output = readOutput(raw, limitOf(call));
      trace.tryMs = performance.now() - beganAt;
      return output;
    } catch (error) {
      if (timeoutMs < fairMs && error instanceof ToolFailure && error.code === 'tool.timeout')
        throw new ToolFailure('tool.timeout', error.message, { retryable: false });
      throw error;
    } finally {
      context?.close();
    }
  }
}

const limitOf = ({ tool, config }: ToolCall): number => tool.outputLimit?.(config) ?? OUTPUT_LIMIT;

function tellRetry(emit: EmitRunEvent, ref: ToolRef, retry: number, delayMs: number): void {
  emit({
    type: 'tool.retry',
    ...ref,
    attempt: retry + 1,
    delay_ms: delayMs,
    message: retryText(ref.plugin, retry, delayMs),
  });
}
