import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type Caller, KeyedSemaphores, type Source, tryEnterAll, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable, type MessageEvent } from '@nestjs/common';
import type { Response } from 'express';
import { EMPTY, Observable, endWith, interval, map, merge, share, takeWhile } from 'rxjs';
import { loggedForAskers } from '../answering';
import { CallerMonitor, type MonitoredWork, assertScope } from '../auth';
import { CONFIG, type Config } from '../infrastructure/config';
import { drained } from '../infrastructure/sse';
import { MetricRegistry, gauge } from '../infrastructure/telemetry';
import { SourceLinks } from '../knowledge-bases';
import { type EventBatches, type LoggedEvent, type RunRecord, RunsService } from '../runs';
import { ForeignEvents } from './foreign-events';
import { RunAccess } from './run-access.service';

export const EVENT_STREAMS = gauge({
  name: 'bellwether_event_streams_open',
  help: 'Open streams of the events of runs.',
  labels: [],
});

const RETRY_AFTER_SECONDS = 5;
/** The one key of the limit for the whole process. */
const PROCESS = '';

/** Limits the event streams that are open at once: each holds a socket and is written to. */
@Injectable()
export class EventStreamCounts {
  private readonly persons: KeyedSemaphores;
  private readonly organizations: KeyedSemaphores;
  private readonly process: KeyedSemaphores;

  constructor(@Inject(CONFIG) { runs }: Config, registry: MetricRegistry) {
    const { person, organization, process } = runs.streams;
    this.persons = new KeyedSemaphores(person);
    this.organizations = new KeyedSemaphores(organization);
    this.process = new KeyedSemaphores(process);
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

/** Half of the promised 15 s between two frames. */
const BEAT_MS = 7_000;
const NONE: ReadonlySet<string> = new Set();
const OPEN: MessageEvent = { comment: 'stream open' };
/** One timer for all streams of the process. */
const BEATS = interval(BEAT_MS).pipe(
  map((): MessageEvent => ({ comment: 'keep-alive' })),
  share(),
);

interface Reading {
  readonly caller: Caller;
  readonly record: RunRecord;
  /** `seq` of the last event that the client has; 0 for none. */
  readonly after: number;
  /** Aborted when the reader leaves or loses access. */
  readonly left: AbortController;
  withContents: boolean;
}

/** Sends the events of a run as server-sent events. Leaving does not end the run; a stalled reader is disconnected. */
@Injectable()
export class RunEventStreams {
  constructor(
    private readonly runs: RunsService,
    private readonly links: SourceLinks,
    private readonly access: RunAccess,
    private readonly callers: CallerMonitor,
    private readonly counts: EventStreamCounts,
  ) {}

  /**
   * Errors before the first event become statuses: `not_found` here, `too_many_requests` on subscription. An ended run
   * without further events is answered with 204, so that an EventSource does not reconnect (WHATWG "Server-sent events",
   * 9.2.3).
   */
  async open(caller: Caller, id: string, after: number, response: Response): Promise<Observable<MessageEvent>> {
    const reached = await this.access.reach(caller, id);
    const reading: Reading = { ...reached, caller, after, left: new AbortController() };
    const batches = this.batches(reading);
    const { status } = reached.record;
    const isOver = status !== 'queued' && status !== 'running';
    const first = isOver ? await batches.next() : null;
    if (first?.done === true) {
      response.status(204).end();
      return EMPTY;
    }
    const events = this.events(reading, first?.value ?? [], batches, response);
    return merge(events.pipe(endWith(null)), BEATS).pipe(takeWhile((message) => message !== null));
  }

  private events(
    reading: Reading,
    first: readonly LoggedEvent[],
    batches: EventBatches,
    response: Response,
  ): Observable<MessageEvent> {
    return new Observable((reader) => {
      const leave = this.counts.enter(reading.caller);
      const watch = this.keepChecking(reading);
      const send = async (): Promise<void> => {
        for (const event of first) reader.next(messageOf(event));
        await taken(response);
        for await (const batch of batches) {
          for (const event of batch) reader.next(messageOf(event));
          await taken(response);
          if (reader.closed) return;
        }
      };
      reader.next(OPEN);
      // A client that has not seen the terminal event reconnects with its last id.
      void send().then(
        () => reader.complete(),
        () => reader.complete(),
      );
      return () => {
        reading.left.abort();
        watch.leave();
        leave();
      };
    });
  }

  /** The events as this reader may see them. */
  private async *batches(reading: Reading): EventBatches {
    const { caller, record, after, left } = reading;
    const isOutsider = record.organizationId !== caller.organizationId;
    const others = record.userId === caller.userId ? null : new ForeignEvents(this.links, after);
    const from = { after: others === null ? after : 0, signal: left.signal };
    for await (const batch of this.runs.follow(record, from)) {
      const told = reading.withContents && !isOutsider ? batch : await this.forAsker(caller, batch);
      const shown = others === null ? told : others.pass(told);
      if (shown.length > 0) yield shown;
    }
  }

  private async forAsker(caller: Caller, batch: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]> {
    const sources = batch.flatMap(({ type, data }) =>
      type === 'sources' ? (JSON.parse(data) as { readonly sources: readonly Source[] }).sources : [],
    );
    const shown = sources.length === 0 ? NONE : await this.access.withShownPassages(caller, sources);
    return batch.map((event) => loggedForAskers(event, shown));
  }

  /** Rights can change while a stream is open. */
  private keepChecking(reading: Reading): MonitoredWork {
    const { caller, record, left } = reading;
    return this.callers.watch({
      caller,
      organizationIds: [caller.organizationId, record.organizationId],
      // One subject per stream: the check also updates its reader's view.
      subject: `events/${uuidv7()}`,
      check: async (now) => {
        assertScope(now, 'chat');
        reading.withContents = (await this.access.reach(now, record.id)).withContents;
      },
      end: () => left.abort(),
    });
  }
}

const messageOf = ({ seq, type, data }: LoggedEvent): MessageEvent => ({ id: String(seq), type, data });

/** Resolves when the reader has taken all events. Nest does not pause the producer of an `@Sse` route. */
async function taken(response: Response): Promise<void> {
  do {
    await drained(response);
    // Nest writes its queue within this turn, until the response is full again.
    await nextTurn();
  } while (response.writableNeedDrain && !response.destroyed);
}
