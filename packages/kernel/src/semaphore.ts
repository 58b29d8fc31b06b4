/** The queue of a semaphore is full. */
export class SemaphoreFullError extends Error {
  override readonly name = 'SemaphoreFullError';
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

/** One semaphore for each key, kept only while permits of it are held. */
export class KeyedSemaphores {
  private readonly semaphores = new Map<string, Semaphore>();

  constructor(
    private readonly limit: number,
    private readonly maxWaiting = Infinity,
  ) {}

  /** Keys of which permits are held. */
  get size(): number {
    return this.semaphores.size;
  }

  /** Permits of a key that are held. */
  held(key: string): number {
    return this.semaphores.get(key)?.held ?? 0;
  }

  /** Takes a permit if one is free. Every taken permit needs one `leave`. */
  tryEnter(key: string): boolean {
    if (this.limit === 0) return false;
    return this.semaphoreOf(key).tryEnter();
  }

  /** Takes a permit, waiting for one if needed; rejects like `Semaphore.enter`. */
  enter(key: string, signal?: AbortSignal): Promise<void> {
    // Without this line an aborted signal would leave an idle semaphore behind.
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return this.semaphoreOf(key).enter(signal);
  }

  leave(key: string): void {
    const semaphore = this.semaphores.get(key);
    semaphore?.leave();
    if (semaphore?.isIdle === true) this.semaphores.delete(key);
  }

  private semaphoreOf(key: string): Semaphore {
    let semaphore = this.semaphores.get(key);
    if (semaphore === undefined) this.semaphores.set(key, (semaphore = new Semaphore(this.limit, this.maxWaiting)));
    return semaphore;
  }
}

/** Takes one permit of each, or none. Returns the function that releases them; null when one is not free. */
export function tryEnterAll(
  wanted: readonly (readonly [semaphores: KeyedSemaphores, key: string])[],
): (() => void) | null {
  let held: typeof wanted = wanted.filter(([semaphores, key]) => semaphores.tryEnter(key));
  const leave = (): void => {
    for (const [semaphores, key] of held) semaphores.leave(key);
    held = [];
  };
  if (held.length === wanted.length) return leave;
  leave();
  return null;
}
