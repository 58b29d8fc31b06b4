/** The queue of a gate is full. */
export class SemaphoreFullError extends Error {
  override readonly name = 'GateFullError';
}

/**
 * Counting semaphore with an abortable FIFO queue. A released permit goes to the longest waiter, so no newcomer
 * overtakes it. Not cockatiel: its bulkhead keeps an aborted waiter queued, and a free permit here costs no promise
 * (`tryEnter`).
 */
export class Semaphore {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(
    readonly limit: number,
    /** Callers that may wait; one more is rejected with a `SemaphoreFullError`. */
    private readonly maxWaiting = Infinity,
  ) {
    this.free = limit;
  }

  /** Permits that are held. */
  get held(): number {
    return this.limit - this.free;
  }

  get isIdle(): boolean {
    return this.free === this.limit;
  }

  /** Takes a permit if one is free. Every taken permit needs one `leave`. */
  tryEnter(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  /** Takes a permit, waiting for one if needed. Rejects with the signal's reason when aborted first. */
  enter(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (this.tryEnter()) return Promise.resolve();
    if (this.waiting.size >= this.maxWaiting) return Promise.reject(new SemaphoreFullError('Too many callers wait'));
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', withdraw);
        resolve();
      };
      const withdraw = (): void => {
        this.waiting.delete(admit);
        reject(signal?.reason as Error);
      };
      this.waiting.add(admit);
      signal?.addEventListener('abort', withdraw, { once: true });
    });
  }

  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!this.tryEnter()) await this.enter(signal);
    try {
      // The abort may have come between the permit and this step.
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.leave();
    }
  }
}

/** One gate for each key, kept only while permits of it are held. */
export class KeyedSemaphores {
  private readonly gates = new Map<string, Semaphore>();

  constructor(
    private readonly limit: number,
    private readonly maxWaiting = Infinity,
  ) {}

  /** Keys of which permits are held. */
  get size(): number {
    return this.gates.size;
  }

  /** Permits of a key that are held. */
  held(key: string): number {
    return this.gates.get(key)?.held ?? 0;
  }

  /** Takes a permit if one is free. Every taken permit needs one `leave`. */
  tryEnter(key: string): boolean {
    if (this.limit === 0) return false;
    return this.gateOf(key).tryEnter();
  }

  /** Takes a permit, waiting for one if needed; rejects like `Gate.enter`. */
  enter(key: string, signal?: AbortSignal): Promise<void> {
    // Without this line an aborted signal would leave an idle gate behind.
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return this.gateOf(key).enter(signal);
  }

  leave(key: string): void {
    const gate = this.gates.get(key);
    gate?.leave();
    if (gate?.isIdle === true) this.gates.delete(key);
  }

  private gateOf(key: string): Semaphore {
    let gate = this.gates.get(key);
    if (gate === undefined) this.gates.set(key, (gate = new Semaphore(this.limit, this.maxWaiting)));
    return gate;
  }
}

/** Takes one permit of each, or none. Returns the function that releases them; null when one is not free. */
export function tryEnterAll(wanted: readonly (readonly [gates: KeyedSemaphores, key: string])[]): (() => void) | null {
  let held: typeof wanted = wanted.filter(([gates, key]) => gates.tryEnter(key));
  const leave = (): void => {
    for (const [gates, key] of held) gates.leave(key);
    held = [];
  };
  if (held.length === wanted.length) return leave;
  leave();
  return null;
}
