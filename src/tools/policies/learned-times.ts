import { LRUCache } from 'lru-cache';

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
  /** Of the tool, for one plugin that works in two ways. */
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
  private readonly windows = new LRUCache<string, Windows>({ max: MAX_KEYS });

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
