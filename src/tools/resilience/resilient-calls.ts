import type { BoundedTry } from '../../kernel';
import type { Config } from '../../platform/config';
import { ToolFailure } from '../contract';
import { pause, withinDeadline } from '../calls/deadline';
import { type CheckedOutput, readOutput } from '../calls/read-output';
import { retryText } from '../calls/tool-texts';
import { delaysOf, longestDelay } from './backoff';
import { Bulkheads } from './bulkheads';
import { Attempt } from './attempt';
import type { CallTrace, StartedCall, ToolCall } from './call.types';
import { callTimes, type CallTimes } from './call-times';
import { circuitOpen, type CircuitPlace, Circuits } from './circuits';
import { kindOf } from './failure-kind';
import { type KeepableCall, KeptResults } from './kept-results';
import { type LearnedTime, LearnedTimes, type TimeKey } from './learned-times';

/** UTF-16 units of one tool's content that reach the prompt, unless the tool says otherwise. */
export const OUTPUT_LIMIT = 50_000;

type ToolsConfig = Config['tools'];

/** Time, room, circuit and retries around one call of a tool. Rejects with whatever the last try failed with. */
export class ResilientCalls {
  private readonly circuits = new Circuits();
  private readonly bulkheads: Bulkheads;
  private readonly kept: KeptResults | null;
  private readonly learned = new LearnedTimes();

  constructor(private readonly config: ToolsConfig) {
    this.bulkheads = new Bulkheads(config.parallelLimit);
    this.kept = config.cacheEnabled && config.cacheTtlMs > 0 ? new KeptResults(config) : null;
  }

  run(call: ToolCall, trace: CallTrace): Promise<CheckedOutput> {
    const started = this.start(call, trace);
    return this.kept === null || !call.entry.cache || call.tool.caching === undefined
      ? this.fresh(started)
      : this.keptOrFresh(this.kept, started);
  }

  private async keptOrFresh(kept: KeptResults, started: StartedCall): Promise<CheckedOutput> {
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

  private fresh(started: StartedCall): Promise<CheckedOutput> {
    return started.call.tool.target === undefined ? this.guarded(started, null) : this.atTarget(started);
  }

  private async atTarget(started: StartedCall): Promise<CheckedOutput> {
    const target = await this.targetOf(started);
    return this.guarded(started, target);
  }

  private keepable(kept: KeptResults, { call, endsAt }: StartedCall): Promise<KeepableCall | null> {
    const { plugin, version, tool, config, configKey, input, invocation } = call;
    const { caching } = tool;
    if (caching === undefined || version === undefined) return Promise.resolve(null);
    const keyed = { plugin, version, config, configKey, input, invocation, caching };
    return withinDeadline(({ signal }) => kept.open(keyed, signal), {
      timeoutMs: endsAt - performance.now(),
      scope: invocation.scope,
    });
  }

  private start(call: ToolCall, trace: CallTrace): StartedCall {
    const { tool, entry } = call;
    const retries = entry.retries ?? tool.retries ?? this.config.maxRetries;
    const endsAt = trace.startedAt + (entry.timeout_ms ?? this.baseOf(call));
    return { call, retries, endsAt, trace, keepable: null };
  }

  private baseOf({ tool }: ToolCall): number {
    return tool.timeoutMs ?? this.config.defaultTimeoutMs;
  }

  /** null where the tool cannot say: then the call itself will tell why. */
  private targetOf({ call, endsAt }: StartedCall): Promise<string | null> {
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

  /** While a probe is under way, other calls wait for its outcome within their own deadline. */
  private async guarded(started: StartedCall, target: string | null): Promise<CheckedOutput> {
    const place = new Place(started.call, target);
    for (;;) {
      const circuit = this.circuits.find(place);
      if (circuit === undefined || !circuit.isOpen) return this.tries(started, place, false);
      const { probe } = circuit;
      if (probe === null) {
        if (!circuit.mayProbe) throw circuitOpen();
        return circuit.probeWith(() => this.tries(started, place, true));
      }
      const { scope } = started.call.invocation;
      await withinDeadline(() => probe, { timeoutMs: started.endsAt - performance.now(), scope });
    }
  }

  /** A probe has one try. */
  private async tries(started: StartedCall, place: Place, isProbe: boolean): Promise<CheckedOutput> {
    const { call, trace } = started;
    const retries = isProbe ? 0 : started.retries;
    const delayOf = delaysOf(this.config);
    for (;;) {
      const learned = this.learned.of(place);
      const times = callTimes({ timeoutMs: call.entry.timeout_ms, baseMs: this.baseOf(call), learned });
      const attempt = new Attempt(started, this.boundOf(started, times, retries));
      try {
        const output = readOutput(await this.attempt(attempt, place, isProbe), limitOf(call));
        trace.tryMs = attempt.elapsedMs;
        this.learned.record(place, trace.tryMs, true);
        this.circuits.note(place, 'good', isProbe);
        return output;
      } catch (thrown) {
        this.learn(attempt, place, thrown);
        const bounded = learned !== null && isTimeout(thrown) && attempt.isBounded ? boundedBy(attempt, learned) : null;
        if (bounded !== null) trace.bounded = bounded;
        const error = attempt.timeoutMs < times.fairMs ? unfair(thrown) : thrown;
        const delayMs = this.pauseAfter(error, started, times, { retries, delayOf });
        if (delayMs === null) {
          this.circuits.note(place, kindOf(error).health, isProbe);
          throw error;
        }
        trace.retries += 1;
        tellRetry(call, trace.retries, delayMs, bounded);
        await pause(delayMs, call.invocation.scope);
      } finally {
        attempt.close();
      }
    }
  }

  /** Milliseconds until the next try; null where there is none. */
  private pauseAfter(
    error: unknown,
    { endsAt, trace }: StartedCall,
    { usualMs }: CallTimes,
    { retries, delayOf }: { readonly retries: number; readonly delayOf: () => number },
  ): number | null {
    const { retryable, retryAfterMs } = kindOf(error);
    if (!retryable || trace.retries >= retries) return null;
    const delayMs = retryAfterMs ?? delayOf();
    return performance.now() + delayMs + usualMs < endsAt ? delayMs : null;
  }

  /** History bounds a try only where it leaves time for another: the last one has all that is left. */
  private boundOf({ endsAt, trace }: StartedCall, { tryMs }: CallTimes, retries: number): number {
    const anotherMs = tryMs + longestDelay(this.config, trace.retries);
    return trace.retries < retries && performance.now() + anotherMs < endsAt ? tryMs : Infinity;
  }

  /** A try that never began, or that its run ended, says nothing of the tool's time. */
  private learn(attempt: Attempt, place: Place, error: unknown): void {
    const cancelled = error instanceof ToolFailure && error.code === 'tool.cancelled';
    if (attempt.timeoutMs > 0 && !cancelled) this.learned.record(place, attempt.elapsedMs, false);
  }

  private attempt(attempt: Attempt, place: Place, isProbe: boolean): Promise<unknown> {
    const { call, trace } = attempt.started;
    return place.target === null
      ? attempt.run(beginOf(call, trace))
      : this.inTurn(attempt, place.target, place, isProbe);
  }

  /** A try takes room at the other side, a pause between tries does not. */
  private inTurn(attempt: Attempt, target: string, place: Place, isProbe: boolean): Promise<unknown> {
    const { organizationId } = place;
    const { call, endsAt } = attempt.started;
    const enter = ({ signal }: AbortController): Promise<unknown> =>
      this.bulkheads.through({ organizationId, target, signal }, () => {
        if (!isProbe) this.circuits.check(place);
        return attempt.run(performance.now());
      });
    return withinDeadline(enter, { timeoutMs: endsAt - performance.now(), scope: call.invocation.scope });
  }
}

class Place implements CircuitPlace, TimeKey {
  readonly organizationId: string;
  readonly plugin: string;
  readonly variant: string;
  readonly configKey: string;

  constructor(
    { plugin, tool, configKey, invocation }: ToolCall,
    readonly target: string | null,
  ) {
    this.organizationId = invocation.owner.organizationId;
    this.plugin = plugin;
    this.variant = tool.variant ?? '';
    this.configKey = configKey;
  }

  /** Without a target it is the config that tells a dead server of one assistant from everybody else's. */
  key(): string {
    return this.target ?? this.configKey;
  }
}

/** Looking at the clock is saved where nothing came before the first try. */
const beginOf = ({ tool }: ToolCall, { startedAt, retries }: CallTrace): number =>
  retries === 0 && tool.caching === undefined && tool.target === undefined ? startedAt : performance.now();

const isTimeout = (error: unknown): boolean => error instanceof ToolFailure && error.code === 'tool.timeout';

/** A try that had too little time to judge by: another would have less. */
const unfair = (error: unknown): unknown =>
  error instanceof ToolFailure && error.code === 'tool.timeout'
    ? new ToolFailure('tool.timeout', error.message, { retryable: false })
    : error;

const boundedBy = ({ timeoutMs }: Attempt, { longestMs, tries }: LearnedTime): BoundedTry => ({
  after_ms: timeoutMs,
  longest_ms: Math.round(longestMs),
  tries,
});

const limitOf = ({ tool, config }: ToolCall): number => tool.outputLimit?.(config) ?? OUTPUT_LIMIT;

function tellRetry({ ref, invocation }: ToolCall, retry: number, delayMs: number, bounded: BoundedTry | null): void {
  invocation.emit({
    type: 'tool.retry',
    ...ref,
    attempt: retry + 1,
    delay_ms: delayMs,
    ...(bounded === null ? {} : { bounded }),
    message: retryText(ref.plugin, retry, delayMs, bounded),
  });
}
