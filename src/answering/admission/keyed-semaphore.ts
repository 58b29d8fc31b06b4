import { AppError } from '../../kernel';

const RETRY_AFTER_SECONDS = 5;

/** One count that a permit belongs to, and its limit. */
export type Count = readonly [name: string, limit: number];

/** A semaphore over several counts at once, such as those of a person and of the organization. */
export class KeyedSemaphore {
  private readonly held = new Map<string, number>();

  constructor(private readonly refusal: string) {}

  /** Returns the function that releases the permit. @throws `too_many_requests` when one of the counts is at its limit */
  acquire(counts: readonly Count[]): () => void {
    if (counts.some(([name, limit]) => this.of(name) >= limit))
      throw new AppError('too_many_requests', this.refusal, { retryAfter: RETRY_AFTER_SECONDS });
    for (const [name] of counts) this.held.set(name, this.of(name) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      for (const [name] of counts) this.release(name);
    };
  }

  /** Permits that are held of one count. */
  of(name: string): number {
    return this.held.get(name) ?? 0;
  }

  private release(name: string): void {
    const rest = this.of(name) - 1;
    if (rest > 0) this.held.set(name, rest);
    else this.held.delete(name);
  }
}
