import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { KeyedSemaphore } from '../../answering';

/** Every stream of events holds a socket and is written to: nobody gets any number of them. */
@Injectable()
export class EventStreamCounts {
  private readonly permits = new KeyedSemaphore('Too many streams of events are open');
  private readonly limits: Config['runs']['streams'];

  constructor(@Inject(CONFIG) { runs }: Config) {
    this.limits = runs.streams;
  }

  /** Returns what to call when the stream has ended. @throws `too_many_requests` */
  enter({ organizationId, userId, endUser }: Caller): () => void {
    return this.permits.acquire([
      [`${organizationId}/${userId}/${endUser?.id ?? ''}`, this.limits.person],
      [organizationId, this.limits.organization],
      ['', this.limits.process],
    ]);
  }

  /** Streams of the whole process. */
  get size(): number {
    return this.permits.of('');
  }
}
