import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller, KeyedGates, tryEnterAll } from '../../kernel';
import { CONFIG, type Config } from '../../infrastructure/config';
import { MetricRegistry } from '../../infrastructure/metrics';
import { EVENT_STREAMS } from './event-stream.metrics';

const RETRY_AFTER_SECONDS = 5;
/** The one key of the limit for the whole process. */
const PROCESS = '';

/** Limits the event streams that are open at once: each holds a socket and is written to. */
@Injectable()
export class EventStreamCounts {
  private readonly persons: KeyedGates;
  private readonly organizations: KeyedGates;
  private readonly process: KeyedGates;

  constructor(@Inject(CONFIG) { runs }: Config, registry: MetricRegistry) {
    const { person, organization, process } = runs.streams;
    this.persons = new KeyedGates(person);
    this.organizations = new KeyedGates(organization);
    this.process = new KeyedGates(process);
    registry.gauge(EVENT_STREAMS, () => [[[], this.size]]);
  }

  /** Returns the function to call when the stream has ended. @throws `too_many_requests` */
  enter({ organizationId, userId, endUser }: Caller): () => void {
    const leave = tryEnterAll([
      [this.persons, `${organizationId}/${userId}/${endUser?.id ?? ''}`],
      [this.organizations, organizationId],
      [this.process, PROCESS],
    ]);
    if (leave !== null) return leave;
    throw new AppError('too_many_requests', 'Too many streams of events are open', { retryAfter: RETRY_AFTER_SECONDS });
  }

  /** Streams of the whole process. */
  get size(): number {
    return this.process.held(PROCESS);
  }
}
