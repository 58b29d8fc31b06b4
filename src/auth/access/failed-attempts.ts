import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../kernel';

const MINUTE_MS = 60_000;
/** Failed sign-ins, or different unknown keys, of one address in a minute. */
const MAX_FAILURES = 20;
/** Addresses kept; the oldest are evicted. */
const MAX_ADDRESSES = 10_000;

/** Sign-ins always count. An unknown key counts once: a program with an old key keeps getting 401. */
export type FailureKind = 'sign_in' | 'key';

export interface FailedMinute {
  readonly address: string;
  readonly signIns: number;
  readonly keys: number;
}

interface Window {
  readonly endsAt: number;
  readonly seen: Set<string>;
  signIns: number;
  keys: number;
}

export interface FailedAttemptsOptions {
  /** Called once per address and minute with failures, when the minute is over. */
  readonly report: (minute: FailedMinute) => void;
  readonly now?: () => number;
}

export class FailedAttempts {
  private readonly windows = new LRUCache<string, Window>({
    max: MAX_ADDRESSES,
    dispose: ({ signIns, keys }, address) => this.options.report({ address, signIns, keys }),
  });
  private readonly now: () => number;

  constructor(private readonly options: FailedAttemptsOptions) {
    this.now = options.now ?? Date.now;
  }

  /** @throws {AppError} `too_many_requests` after too many failures in the minute */
  count(address: string, kind: FailureKind, credential: string): void {
    const window = this.windowOf(address);
    if (kind === 'sign_in') window.signIns += 1;
    else if (window.seen.size <= MAX_FAILURES) {
      window.seen.add(createHash('sha256').update(credential).digest('base64url'));
      window.keys = window.seen.size;
    }
    this.assertBelow(address);
  }

  /** @throws {AppError} `too_many_requests` while the minute has too many failures */
  assertBelow(address: string): void {
    const window = this.windows.get(address);
    if (window === undefined || window.endsAt <= this.now()) return;
    if (Math.max(window.signIns, window.keys) <= MAX_FAILURES) return;
    const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1_000));
    throw new AppError('too_many_requests', 'Too many failed sign-ins from this address', {
      reason: 'sign_in.too_many',
      retryAfter,
    });
  }

  /** Reports finished minutes. */
  sweep(): void {
    for (const [address, { endsAt }] of this.windows.entries()) {
      if (endsAt <= this.now()) this.windows.delete(address);
    }
  }

  /** Reports all minutes; for shutdown. */
  clear(): void {
    this.windows.clear();
  }

  private windowOf(address: string): Window {
    const found = this.windows.get(address);
    if (found !== undefined && found.endsAt > this.now()) return found;
    if (found !== undefined) this.windows.delete(address);
    const window: Window = { endsAt: this.now() + MINUTE_MS, seen: new Set(), signIns: 0, keys: 0 };
    this.windows.set(address, window);
    return window;
  }
}
