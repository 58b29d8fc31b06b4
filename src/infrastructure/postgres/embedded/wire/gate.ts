export interface GateOptions {
  /** Milliseconds that a waiter accepts an idle holder. */
  readonly waitMs: number;
  /** Milliseconds after which an idle holder is evicted. */
  readonly idleLimitMs: number;
}

/** A session, or our own work, that can hold the engine. */
export interface Holder {
  /** Called after too long in an idle transaction: the holder must end and leave. */
  evict(): void;
}

interface Waiting {
  readonly holder: Holder;
  readonly since: number;
  readonly patient: boolean;
  admit(): void;
  refuse(error: Error): void;
}

/** The holder was idle in its transaction for the wait limit. */
export class GateBusyError extends Error {
  readonly code = '55P03';
}

export class GateLeftError extends Error {}

/**
 * A FIFO mutex over the engine, held from the first message of a turn until the engine is outside any transaction. Only
 * idle time counts against a holder: a running statement would delay others on a server too.
 */
export class Gate {
  private holder: Holder | null = null;
  private idleSince: number | null = null;
  private queue: Waiting[] = [];
  private waitTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: GateOptions) {}

  /** Resolves when `holder` has the engine. A patient holder waits without limit. */
  enter(holder: Holder, patient = false): Promise<void> {
    if (this.holder === holder) {
      this.busy();
      return Promise.resolve();
    }
    if (this.holder === null) {
      this.holder = holder;
      return Promise.resolve();
    }
    return new Promise((admit, refuse) => {
      this.queue.push({ holder, since: performance.now(), patient, admit, refuse });
      this.watch();
    });
  }

  holds(holder: Holder): boolean {
    return this.holder === holder;
  }

  /** The holder's turn ended inside a transaction. */
  idle(): void {
    this.idleSince = performance.now();
    const { holder } = this;
    this.idleTimer = setTimeout(() => holder?.evict(), this.options.idleLimitMs);
    this.watch();
  }

  leave(holder: Holder): void {
    if (this.holder !== holder) return;
    this.busy();
    const next = this.queue.shift();
    this.holder = next?.holder ?? null;
    next?.admit();
  }

  /** Removes a closed session from the queue. */
  withdraw(holder: Holder): void {
    const gone = this.queue.filter((waiting) => waiting.holder === holder);
    this.queue = this.queue.filter((waiting) => waiting.holder !== holder);
    for (const waiting of gone) waiting.refuse(new GateLeftError());
  }

  private busy(): void {
    this.idleSince = null;
    clearTimeout(this.idleTimer);
    clearTimeout(this.waitTimer);
  }

  private deadline({ since, patient }: Waiting): number {
    if (patient || this.idleSince === null) return Infinity;
    return Math.max(since, this.idleSince) + this.options.waitMs;
  }

  private watch(): void {
    clearTimeout(this.waitTimer);
    const next = Math.min(...this.queue.map((waiting) => this.deadline(waiting)));
    if (next === Infinity) return;
    this.waitTimer = setTimeout(() => this.refuseOverdue(), Math.max(next - performance.now(), 1));
  }

  private refuseOverdue(): void {
    const now = performance.now();
    const overdue = this.queue.filter((waiting) => this.deadline(waiting) <= now);
    this.queue = this.queue.filter((waiting) => !overdue.includes(waiting));
    for (const waiting of overdue) {
      waiting.refuse(
        new GateBusyError(`another connection has held its transaction open for ${this.options.waitMs} ms`),
      );
    }
    this.watch();
  }
}
