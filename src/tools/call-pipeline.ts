import {
  type Awaitable,
  type BoundedTry,
  SemaphoreFullError,
  KeyedSemaphores,
  addUsage,
  after,
  atMost,
  onFailure,
  settle,
} from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from '../infrastructure/config';
import { type Call, CallContext, TrackedContext, TrackedInput, kindOf } from './call';
import { TryTimeout } from './deadline';
import { retryText, usageOf } from './describe-failure';
import { ToolFailure } from './contract';
import { type CheckedOutput, readOutput } from './read-output';
import type { ToolMetrics } from './tool.metrics';
import { Circuits, circuit } from './circuits';
import { keptResults } from './kept-results';
import type { Next, Policy } from './policy.types';

/** The figures are made of this many tries at least, and of twice as many at most. */
const WINDOW = 50;
const MAX_KEYS = 2_000;

/** How long the last tries of one kind of call took, in milliseconds. */
export interface LearnedTime {
  /** Tries that the figures are made of, failed ones included. */
  readonly tries: number;
  readonly successes: number;
  /** Longest of all tries; a timeout counts with the time that it lasted. */
  readonly longestMs: number;
  /** 0 without a success. */
  readonly longestSuccessMs: number;
  /** 0 without a success. */
  readonly averageSuccessMs: number;
}

/** Calls of one key are expected to take about as long as each other. */
export interface TimeKey {
  readonly organizationId: string;
  readonly plugin: string;
  /** `host:port`; null inside the house. */
  readonly target: string | null;
  /** Variant of the tool, for one plugin that works in two ways. */
  readonly variant: string;
  /** The config names the knowledge base, collection or assistant, and says whether a model rewrites the question. */
  readonly configKey: string;
}

interface Window {
  tries: number;
  successes: number;
  longest: number;
  longestSuccess: number;
  successSum: number;
}

interface Windows {
  previous: Window;
  current: Window;
}

/**
 * Durations of tries by kind of call, in this process: a restart forgets them. Two windows take turns, so that a slow try is
 * remembered for 50 to 100 tries and then forgotten.
 */
export class LearnedTimes {
  private readonly windows = new LRUCache<string, Windows>(atMost(MAX_KEYS));

  /** null while there are too few tries to learn from. */
  of(key: TimeKey): LearnedTime | null {
    const windows = this.windows.get(textOf(key));
    if (windows === undefined) return null;
    const { previous, current } = windows;
    const tries = previous.tries + current.tries;
    const successes = previous.successes + current.successes;
    if (tries < WINDOW) return null;
    return {
      tries,
      successes,
      longestMs: Math.max(previous.longest, current.longest),
      longestSuccessMs: Math.max(previous.longestSuccess, current.longestSuccess),
      averageSuccessMs: successes === 0 ? 0 : (previous.successSum + current.successSum) / successes,
    };
  }

  record(key: TimeKey, ms: number, succeeded: boolean): void {
    const name = textOf(key);
    let windows = this.windows.get(name);
    if (windows === undefined) {
      windows = { previous: empty(), current: empty() };
      this.windows.set(name, windows);
    }
    if (windows.current.tries >= WINDOW) {
      windows.previous = windows.current;
      windows.current = empty();
    }
    const { current } = windows;
    current.tries += 1;
    current.longest = Math.max(current.longest, ms);
    if (!succeeded) return;
    current.successes += 1;
    current.successSum += ms;
    current.longestSuccess = Math.max(current.longestSuccess, ms);
  }
}

const empty = (): Window => ({ tries: 0, successes: 0, longest: 0, longestSuccess: 0, successSum: 0 });

const textOf = ({ organizationId, plugin, target, variant, configKey }: TimeKey): string =>
  `${organizationId} ${plugin} ${variant} ${target ?? ''} ${configKey}`;

/** A try may take this many times what the longest of the last tries took. */
const GENEROSITY = 4;
/** History never gives a try less than this share of the configured time: then a second try still has the other half. */
const LEAST_SHARE = 0.5;
/** Timeouts shorter than this never count against the server. */
const LEAST_FAIR_MS = 1_000;
/** Share of its time that a tool may lose by waiting for its turn before a timeout no longer counts against the server. */
const NEARLY_ALL = 0.9;

interface CallTimes {
  /** Milliseconds of the whole call, its waits included. */
  readonly totalMs: number;
  /** Milliseconds of each try but the last, which has all the time that is left; `totalMs` without a learned bound. */
  readonly tryMs: number;
  /** Milliseconds that a try usually takes: a retry with less left is not begun. 0 when unknown, or with `timeout_ms`. */
  readonly usualMs: number;
  /**
   * Milliseconds that a try must have had for its timeout to count against the server. An entry with a short `timeout_ms`
   * must not open the circuit for the others.
   */
  readonly fairMs: number;
}

interface Asked {
  /** The entry's own: a promise that history does not shorten. */
  readonly timeoutMs: number | null;
  /** Configured time of the tool, or the operator's default. */
  readonly baseMs: number;
  readonly learned: LearnedTime | null;
}

export function callTimes({ timeoutMs, baseMs, learned }: Asked): CallTimes {
  const totalMs = timeoutMs ?? baseMs;
  if (learned === null || learned.successes === 0) return { totalMs, tryMs: totalMs, usualMs: 0, fairMs: baseMs / 2 };
  const learnedMs = Math.max(LEAST_SHARE * totalMs, GENEROSITY * learned.longestMs);
  const least = Math.min(LEAST_FAIR_MS, baseMs / 2);
  return {
    totalMs,
    tryMs: timeoutMs === null ? Math.min(totalMs, learnedMs) : totalMs,
    usualMs: timeoutMs === null ? learned.averageSuccessMs : 0,
    fairMs: Math.max(least, Math.min(learned.longestSuccessMs, NEARLY_ALL * baseMs)),
  };
}

const MAX_DELAY_MS = 60_000;
/** A tenth more or less, so that calls that failed together do not return together. */
const JITTER = 0.1;

type BackoffConfig = Pick<Config['tools'], 'retryDelayMs' | 'retryBackoff'>;

/** Milliseconds before retry `retry` (from 0), without jitter. */
const baseDelay = ({ retryDelayMs, retryBackoff }: BackoffConfig, retry: number): number =>
  retryBackoff === 'fixed' ? retryDelayMs : Math.min(MAX_DELAY_MS, retryDelayMs * 2 ** retry);

/** Milliseconds before retry `retry` (from 0), with jitter. */
const delayBefore = (config: BackoffConfig, retry: number): number =>
  Math.round(baseDelay(config, retry) * (1 - JITTER + 2 * JITTER * Math.random()));

/** The most that `delayBefore` returns. */
const longestDelay = (config: BackoffConfig, retry: number): number => (1 + JITTER) * baseDelay(config, retry);

/** Tries again after failures that may pass, while the deadline leaves time. A probe has one try. */
const retry =
  (config: Config['tools'], history: LearnedTimes): Policy =>
  (next) =>
    function retry(call): Awaitable<CheckedOutput> {
      const learned = history.of(call);
      const times = callTimes({ timeoutMs: call.request.entry.timeout_ms, baseMs: call.baseMs, learned });
      call.boundMs = boundOf(call, times, config);
      call.timeoutMs = 0;
      return onFailure(
        () => next(call),
        (error) => {
          const bounded = error instanceof TryTimeout && learned !== null ? boundedBy(call, learned) : null;
          if (bounded !== null) call.bounded = bounded;
          const blamed = call.timeoutMs < times.fairMs ? withoutBlame(error) : error;
          const delayMs = delayAfter(blamed, call, times, config);
          if (delayMs === null) throw blamed;
          call.retries += 1;
          tellRetry(call, delayMs, bounded);
          return after(call.deadline.pause(delayMs), () => retry(call));
        },
      );
    };

const mayRetry = ({ isProbe, retries, maxRetries }: Call): boolean => !isProbe && retries < maxRetries;

/** History bounds a try only where it leaves time for another: the last one has all that is left. */
function boundOf(call: Call, { tryMs }: CallTimes, config: Config['tools']): number {
  if (!mayRetry(call)) return Infinity;
  return performance.now() + tryMs + longestDelay(config, call.retries) < call.deadline.endsAt ? tryMs : Infinity;
}

/** Milliseconds until the next try; null where there is none. */
function delayAfter(error: unknown, call: Call, { usualMs }: CallTimes, config: Config['tools']): number | null {
  const { retryable, retryAfterMs } = kindOf(error);
  if (!retryable || !mayRetry(call)) return null;
  const delayMs = retryAfterMs ?? delayBefore(config, call.retries);
  return performance.now() + delayMs + usualMs < call.deadline.endsAt ? delayMs : null;
}

/** The timeout of a try with too little time: it does not count against the server, and another try would have less. */
const withoutBlame = (error: unknown): unknown =>
  error instanceof ToolFailure && error.code === 'tool.timeout'
    ? new ToolFailure('tool.timeout', error.message, { retryable: false })
    : error;

const boundedBy = ({ timeoutMs }: Call, { longestMs, tries }: LearnedTime): BoundedTry => ({
  after_ms: timeoutMs,
  longest_ms: Math.round(longestMs),
  tries,
});

function tellRetry({ request, retries }: Call, delayMs: number, bounded: BoundedTry | null): void {
  const { ref, invocation } = request;
  invocation.emit({
    type: 'tool.retry',
    ...ref,
    attempt: retries + 1,
    delay_ms: delayMs,
    ...(bounded === null ? {} : { bounded }),
    message: retryText(ref.plugin, retries, delayMs, bounded),
  });
}

/** Simultaneous calls of one host, as a multiple of one run's limit. */
const RUNS = 8;
/** One organization has half of them: it neither waits for one run of its own nor keeps a host from the others. */
const RUNS_OF_ONE = 4;
/** Waiting calls for each running one. */
const WAITING = 10;

/** The permits of each host, and each organization's share of them, in this process. */
export class TargetLimiters {
  readonly hosts: KeyedSemaphores;
  readonly shares: KeyedSemaphores;

  constructor(parallelLimit: number) {
    const capacity = RUNS * parallelLimit;
    const share = RUNS_OF_ONE * parallelLimit;
    this.hosts = new KeyedSemaphores(capacity, WAITING * capacity);
    this.shares = new KeyedSemaphores(share, WAITING * share);
  }

  get isIdle(): boolean {
    return this.hosts.size + this.shares.size === 0;
  }
}

/** Limits simultaneous tries at one host, so that a slow host fills its own bulkhead only. Pauses hold no permit. */
export function bulkhead({ hosts, shares }: TargetLimiters, circuits: Circuits): Policy {
  const holding = async (call: Call, target: string, next: Next): Promise<CheckedOutput> => {
    const share = `${call.organizationId} ${target}`;
    // The share of the organization comes first: a call that waits for it holds no permit of the host.
    if (!shares.tryEnter(share)) await enter(shares, share, call);
    try {
      if (!hosts.tryEnter(target)) await enter(hosts, target, call);
      try {
        // The deadline may have passed, or the circuit opened, since the permit was handed over.
        call.deadline.check();
        if (!call.isProbe) circuits.check(call);
        return await next(call);
      } finally {
        hosts.leave(target);
      }
    } finally {
      shares.leave(share);
    }
  };
  return (next) =>
    function bulkhead(call) {
      return call.target === null ? next(call) : holding(call, call.target, next);
    };
}

async function enter(semaphores: KeyedSemaphores, key: string, { deadline }: Call): Promise<void> {
  try {
    const { signal } = deadline.nextController();
    deadline.arm();
    await semaphores.enter(key, signal);
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error;
    throw new ToolFailure('tool.unavailable', 'too many calls wait for the same server');
  }
}

/** One try, with a signal and a context of its own: its late effects cannot reach the next try. */
export const attempt = (learned: LearnedTimes): Next =>
  function attempt(call) {
    const { deadline, watch, boundMs, request } = call;
    const { prepared, input } = request;
    const controller = deadline.nextController();
    const beganAt = performance.now();
    const leftMs = deadline.endsAt - beganAt;
    call.timeoutMs = Math.ceil(Math.min(boundMs, leftMs));
    const endsAt = beganAt + call.timeoutMs;
    const context =
      watch === null
        ? new CallContext(request, controller, endsAt)
        : new TrackedContext(watch, request, controller, endsAt);
    const run = (): Awaitable<CheckedOutput> => {
      const asked = watch === null ? input : new TrackedInput(watch, input);
      const answer = deadline.race(call.tool.run(prepared.config, asked, context));
      const within = answer instanceof Promise && boundMs < leftMs ? bounded(answer, call, endsAt) : answer;
      return after(within, (raw) => {
        const output = readOutput(raw, call.outputLimit);
        call.tryMs = performance.now() - beganAt;
        learned.record(call, call.tryMs, true);
        return output;
      });
    };
    return settle(
      run,
      (output) => {
        context.close();
        return output;
      },
      (error) => {
        context.close();
        call.spent = addUsage(call.spent, usageOf(error));
        // A try that its run stopped tells nothing about the time that the tool takes.
        const isCancelled = error instanceof ToolFailure && error.code === 'tool.cancelled';
        if (!isCancelled) learned.record(call, performance.now() - beganAt, false);
        throw error;
      },
    );
  };

/** Interrupts a try at the bound that history gives it. */
function bounded<T>(answer: Promise<T>, { deadline, timeoutMs }: Call, endsAt: number): Promise<T> {
  const leftMs = Math.max(1, endsAt - performance.now());
  const timer = setTimeout(() => deadline.interrupt(new TryTimeout(timeoutMs)), leftMs);
  return answer.finally(() => clearTimeout(timer));
}

/** Everything between an invoker and a tool. The first policy is the outermost; each is one call frame. */
export function callPipeline(config: Config['tools'], metrics: ToolMetrics): Next {
  const circuits = new Circuits(metrics);
  const learned = new LearnedTimes();
  const gates = new TargetLimiters(config.parallelLimit);
  return compose(
    [keptResults(config, metrics), circuit(circuits), retry(config, learned), bulkhead(gates, circuits)],
    attempt(learned),
  );
}

const compose = (policies: readonly Policy[], last: Next): Next =>
  policies.reduceRight((next, policy) => policy(next), last);
