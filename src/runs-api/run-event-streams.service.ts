import { AppError, type Caller, KeyedSemaphores, type Source, tryEnterAll, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { loggedForAskers } from '../answering';
import { CallerMonitor, type MonitoredWork, assertScope } from '../auth';
import { CONFIG, type Config } from '../infrastructure/config';
import { SseStream } from '../infrastructure/sse';
import { MetricRegistry, gauge } from '../infrastructure/telemetry';
import { SourceLinks } from '../knowledge-bases';
import { type LoggedEvent, type RunRecord, RunsService } from '../runs';
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

const NONE: ReadonlySet<string> = new Set();

/** Headers that keep caches and proxies from holding events back. */
const HEADERS = {
  'Content-Type': 'text/event-stream',
  Connection: 'keep-alive',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  Pragma: 'no-cache',
  Expires: '0',
} as const;

/** Frames and shortened events, made once for all readers. */
const frames = new WeakMap<LoggedEvent, Buffer>();
const forAskers = new WeakMap<LoggedEvent, LoggedEvent>();

/** JSON has no line breaks, so that one `data` line holds it. */
function frameOf(event: LoggedEvent): Buffer {
  const known = frames.get(event);
  if (known !== undefined) return known;
  const frame = Buffer.from(`event: ${event.type}\nid: ${event.seq}\ndata: ${event.data}\n\n`);
  frames.set(event, frame);
  return frame;
}

function framesOf(events: readonly LoggedEvent[]): Buffer {
  const [only] = events;
  return only !== undefined && events.length === 1 ? frameOf(only) : Buffer.concat(events.map(frameOf));
}

/** Without sources, whose links depend on the reader. */
function forAnyAsker(event: LoggedEvent): LoggedEvent {
  const known = forAskers.get(event) ?? loggedForAskers(event, NONE);
  forAskers.set(event, known);
  return known;
}

/** One reader of the events of a run. */
interface Reading {
  readonly caller: Caller;
  readonly record: RunRecord;
  /** Null for the asker. */
  readonly others: ForeignEvents | null;
  readonly stream: SseStream;
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
   * Resolves when the stream has ended. Rejects before the first byte only: `not_found`, `too_many_requests`. An ended run
   * without further events is answered with 204, so that an EventSource does not reconnect (WHATWG "Server-sent events",
   * 9.2.3).
   * @param after `seq` of the last event that the client has; 0 for none
   */
  async send(caller: Caller, id: string, after: number, response: Response): Promise<void> {
    const { record, withContents } = await this.access.reach(caller, id);
    const others = record.userId === caller.userId ? null : new ForeignEvents(this.links, after);
    const left = new AbortController();
    const stream = new SseStream(response);
    const reading: Reading = { caller, record, others, stream, left, withContents };
    if (record.status === 'queued' || record.status === 'running') this.begin(reading, response);
    const from = { after: others === null ? after : 0, signal: left.signal };
    try {
      await this.runs.follow(record, from, (events) => this.take(reading, events, response));
    } catch (error) {
      // A client that has not seen the terminal event reconnects with its last id.
      if (!stream.isOpen) throw error;
    }
    if (stream.isOpen) stream.end();
    else response.status(204).end();
  }

  /** @throws `too_many_requests` */
  private begin(reading: Reading, response: Response): void {
    const leave = this.counts.enter(reading.caller);
    const watch = this.keepChecking(reading);
    const end = (): void => {
      reading.left.abort();
      watch.leave();
      leave();
    };
    if (response.closed) return end();
    response.once('close', end);
    // The route has always begun with an empty line; recorded answers are compared byte by byte.
    reading.stream.open(HEADERS, '\n');
  }

  /** Sends events as this reader may see them. */
  private take(reading: Reading, events: readonly LoggedEvent[], response: Response): Promise<void> | undefined {
    const { caller, record, withContents } = reading;
    if (withContents && record.organizationId === caller.organizationId) return this.write(reading, events, response);
    const sources = sourcesIn(events);
    if (sources.length === 0) return this.write(reading, events.map(forAnyAsker), response);
    return this.access.withShownPassages(caller, sources).then((shown) =>
      this.write(
        reading,
        events.map((event) => loggedForAskers(event, shown)),
        response,
      ),
    );
  }

  private write(reading: Reading, events: readonly LoggedEvent[], response: Response): Promise<void> | undefined {
    const { others, stream } = reading;
    const shown = others === null ? events : others.pass(events);
    if (shown.length === 0) return undefined;
    if (!stream.isOpen) this.begin(reading, response);
    return stream.write(framesOf(shown)) ? undefined : stream.drained();
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

const sourcesIn = (events: readonly LoggedEvent[]): readonly Source[] =>
  events.flatMap(({ type, data }) =>
    type === 'sources' ? (JSON.parse(data) as { readonly sources: readonly Source[] }).sources : [],
  );
