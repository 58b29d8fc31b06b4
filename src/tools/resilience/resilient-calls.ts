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
import { type CircuitPlace, Circuits } from './circuits';
import { kindOf } from './failure-kind';
import { type KeepableCall, KeptResults } from './kept-results';
import type { ToolStats } from './tool-counts.types';

/** UTF-16 units of one tool's content that reach the prompt, unless the tool says otherwise. */
export const OUTPUT_LIMIT = 50_000;

/** The part of a tool that runs: what the catalogue holds, and what classic's RAG processors are. */
export type RunnableTool = Pick<Tool, 'run' | 'outputLimit' | 'timeoutMs' | 'retries' | 'caching' | 'target'>;

/** One call to be made. `config` is checked and complete. */
export interface ToolCall {
  /** Canonical name. */
  readonly plugin: string;
  /** Of the tool's definition; without it results are not kept. */
  readonly version?: string | undefined;
  readonly tool: RunnableTool;
  readonly config: JsonObject;
  readonly entry: Pick<PipelineTool, 'timeout_ms' | 'retries' | 'cache'>;
  readonly input: ToolInput;
  readonly invocation: Invocation;
  /** Names the call in events. */
  readonly ref: ToolRef;
}

/** Filled in while the call goes on, whatever it comes to. */
export interface CallTrace {
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  retries: number;
  /** The result was kept from an earlier call. */
  cached: boolean;
  /** Milliseconds of the try that succeeded; null while none did. */
  tryMs: number | null;
}

interface Started {
  readonly call: ToolCall;
  readonly times: CallTimes;
  readonly retries: number;
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

  run(call: ToolCall, trace: CallTrace): Promise<CheckedOutput> {
    const started = this.start(call, trace);
    return this.kept === null || !call.entry.cache || call.tool.caching === undefined
      ? this.fresh(started)
      : this.keptOrFresh(this.kept, started);
  }

  private async keptOrFresh(kept: KeptResults, started: Started): Promise<CheckedOutput> {
    const keepable = await this.keepable(kept, started);
    if (keepable === null) return this.fresh(started);
    const known = kept.find(keepable, started.call.ref, limitOf(started.call));
    if (known !== undefined) {
      started.trace.cached = true;
      return known;
    }
    const output = await this.fresh({ ...started, keepable });
    kept.keep(keepable, output);
    return output;
  }

  private fresh(started: Started): Promise<CheckedOutput> {
    return started.call.tool.target === undefined ? this.guarded(started, null) : this.atTarget(started);
  }

  private async atTarget(started: Started): Promise<CheckedOutput> {
    const target = await this.targetOf(started);
    return this.guarded(started, target);
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
    const endsAt = trace.startedAt + times.totalMs;
    return { call, times, retries, endsAt, trace, keepable: null };
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

  private guarded(started: Started, target: string | null): Promise<CheckedOutput> {
    const place = new Place(started.call, target);
    const circuit = this.circuits.find(place);
    if (circuit === undefined) return this.tries(started, started.retries, place, true);
    return this.circuits.through(place, circuit, (probe) =>
      this.tries(started, probe ? 0 : started.retries, place, false),
    );
  }

  /** `place` is told of success and failure where no circuit watches yet. */
  private async tries(started: Started, retries: number, place: Place, tells: boolean): Promise<CheckedOutput> {
    const { call, endsAt, times, trace } = started;
    let delayOf: (() => number) | null = null;
    for (;;) {
      const attempt = new Attempt(started);
      try {
        const { target } = place;
        const raw = await (target === null ? attempt.run(beginOf(call, trace)) : this.inTurn(attempt, target, place));
        const output = readOutput(raw, limitOf(call));
        trace.tryMs = performance.now() - attempt.beganAt;
        if (tells) this.circuits.succeeded(place);
        return output;
      } catch (thrown) {
        const error = attempt.timeoutMs < times.fairMs ? unfair(thrown) : thrown;
        const kind = kindOf(error);
        delayOf ??= delaysOf(this.config);
        const delayMs = kind.retryAfterMs ?? delayOf();
        const again = kind.retryable && trace.retries < retries;
        if (!again || performance.now() + delayMs + times.usualMs >= endsAt)
          throw await this.noted(tells ? place : null, error);
        trace.retries += 1;
        tellRetry(call.invocation.emit, call.ref, trace.retries, delayMs);
        await pause(delayMs, call.invocation.scope);
      } finally {
        attempt.close();
      }
    }
  }

  private async noted(place: Place | null, error: unknown): Promise<unknown> {
    if (place !== null && kindOf(error).health === 'bad') await this.circuits.note(place, error);
    return error;
  }

  /** A try takes room at the other side, a pause between tries does not. */
  private inTurn(attempt: Attempt, target: string, place: Place): Promise<unknown> {
    const { organizationId } = place;
    const { call, endsAt } = attempt.started;
    const enter = ({ signal }: AbortController): Promise<unknown> =>
      this.bulkheads.through({ organizationId, target, signal }, () => {
        this.circuits.check(place);
        return attempt.run(performance.now());
      });
    return withinDeadline(enter, { timeoutMs: endsAt - performance.now(), scope: call.invocation.scope });
  }
}

class Place implements CircuitPlace {
  readonly organizationId: string;
  readonly plugin: string;
  private readonly config: JsonObject;

  constructor(
    { plugin, config, invocation }: ToolCall,
    readonly target: string | null,
  ) {
    this.organizationId = invocation.owner.organizationId;
    this.plugin = plugin;
    this.config = config;
  }

  /** Without a target it is the config that tells a dead server of one assistant from everybody else's. */
  key(): string {
    return this.target ?? JSON.stringify(this.config);
  }
}

/** Looking at the clock is saved where nothing came before the first try. */
const beginOf = ({ tool }: ToolCall, { startedAt, retries }: CallTrace): number =>
  retries === 0 && tool.caching === undefined && tool.target === undefined ? startedAt : performance.now();

/** One try: it has a signal and a context of its own, so that nothing of it reaches into the next. */
class Attempt {
  /** On the clock of `performance.now()`; a fraction from the start, so that the engine keeps one shape of object. */
  beganAt = Number.NaN;
  /** 0 as long as it has not begun. */
  timeoutMs = 0;
  private context: CallContext | null = null;

  constructor(readonly started: Started) {}

  run(now: number): Promise<unknown> {
    const { call, endsAt, times } = this.started;
    this.beganAt = now;
    this.timeoutMs = Math.ceil(Math.min(times.tryMs, endsAt - now));
    return withinDeadline(this.begin, { timeoutMs: this.timeoutMs, scope: call.invocation.scope });
  }

  close(): void {
    this.context?.close();
  }

  private readonly begin = (controller: AbortController): Promise<unknown> => {
    const { call, keepable } = this.started;
    const { tool, config, input, invocation, ref } = call;
    this.context = keepable?.context(ref, controller) ?? new CallContext(ref, invocation, controller);
    return tool.run(config, keepable?.input() ?? input, this.context);
  };
}

/** A try that had too little time to judge by: another would have less. */
const unfair = (error: unknown): unknown =>
  error instanceof ToolFailure && error.code === 'tool.timeout'
    ? new ToolFailure('tool.timeout', error.message, { retryable: false })
    : error;

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
