import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../kernel';
import { CONFIG, type Config } from '../platform/config';

const RETRY_AFTER_SECONDS = 5;

/** Every stream of events holds a socket and is written to: nobody gets any number of them. */
@Injectable()
export class EventStreamCounts {
  private readonly counts = new Map<string, number>();
  private readonly limits: Config['runs']['streams'];

  constructor(@Inject(CONFIG) { runs }: Config) {
    this.limits = runs.streams;
  }

  /** Returns what to call when the stream has ended. @throws `too_many_requests` */
  enter({ organizationId, userId, endUser }: Caller): () => void {
    const places: readonly (readonly [name: string, limit: number])[] = [
      [`${organizationId}/${userId}/${endUser?.id ?? ''}`, this.limits.person],
      [organizationId, this.limits.organization],
      ['', this.limits.process],
    ];
    if (places.some(([name, limit]) => this.of(name) >= limit))
      throw new AppError('too_many_requests', 'Too many streams of events are open', {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    for (const [name] of places) this.counts.set(name, this.of(name) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      for (const [name] of places) this.release(name);
    };
  }

  /** Streams of the whole process. */
  get size(): number {
    return this.of('');
  }

  private of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  private release(name: string): void {
    const rest = this.of(name) - 1;
    if (rest > 0) this.counts.set(name, rest);
    else this.counts.delete(name);
  }
}
