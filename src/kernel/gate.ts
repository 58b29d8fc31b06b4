/** Rejects a caller when as many wait as may wait. */
export class GateFullError extends Error {
  override readonly name = 'GateFullError';
}

/**
 * Counting semaphore with an abortable FIFO queue. A released permit goes straight to the longest waiter, so that no
 * newcomer overtakes it. Ours because cockatiel's bulkhead keeps an aborted waiter queued until a permit is free, and
 * because a free permit here costs no promise (`tryEnter`).
 */
export class Gate {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(
    readonly limit: number,
    /** Callers that may wait; one more is rejected with a `GateFullError`. */
    private readonly maxWaiting = Infinity,
  ) {
    this.free = limit;
  }

  /** True when no permit is held. */
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
    if (this.waiting.size >= this.maxWaiting) return Promise.reject(new GateFullError('Too many callers wait'));
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

  /** Runs `work` while holding a permit. */
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
export class KeyedGates {
  private readonly gates = new Map<string, Gate>();

  constructor(
    private readonly limit: number,
    private readonly maxWaiting = Infinity,
  ) {}

  get size(): number {
    return this.gates.size;
  }

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let gate = this.gates.get(key);
    if (gate === undefined) {
      gate = new Gate(this.limit, this.maxWaiting);
      this.gates.set(key, gate);
    }
    try {
      return await gate.run(work, signal);
    } finally {
      // Another gate may have taken this one's place since it became idle.
      if (gate.isIdle && this.gates.get(key) === gate) this.gates.delete(key);
    }
  }
}
