import { Injectable, Logger } from '@nestjs/common';
import type { RunStatus } from '../kernel';
import { Signals } from '../platform/signals';
import { RunEventRepository } from './run-event.repository';
import type { LoggedEvent } from './run-log.types';
import { RUN_EVENTS } from './run-signals';
import { Tail } from './tail';

/** How long an event of another process may lie before readers here get it, when no signal comes. */
const POLL_MS = 400;
const EVENTS_PER_LOOK = 200;

const GOING: ReadonlySet<RunStatus | undefined> = new Set<RunStatus>(['queued', 'running']);

/**
 * The ends of the logs that somebody reads in this process, one per run however many read it. Fed by this process's own
 * journal, by signals of other processes, and by looking, which alone would do.
 */
@Injectable()
export class RunTails {
  private readonly logger = new Logger('Runs');
  private readonly tails = new Map<string, Tail>();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private lookAgain = false;
  private failing = false;

  constructor(
    private readonly events: RunEventRepository,
    signals: Signals,
  ) {
    signals.on(RUN_EVENTS, (ids) => this.hint(ids));
  }

  get size(): number {
    return this.tails.size;
  }

  /** Events that have been committed. */
  push(runId: string, events: readonly LoggedEvent[]): void {
    const tail = this.tails.get(runId);
    if (tail !== undefined && !tail.push(events)) this.look();
  }

  /** The tail of a run's log, for one more reader; give it back with `leave`. Rejects when the log cannot be read. */
  async join(runId: string): Promise<Tail> {
    const tail = this.tails.get(runId) ?? this.make(runId);
    tail.readers += 1;
    try {
      await tail.loaded;
    } catch (error) {
      this.leave(tail);
      throw error;
    }
    this.look();
    return tail;
  }

  leave(tail: Tail): void {
    tail.readers -= 1;
    if (tail.readers > 0 || this.tails.get(tail.runId) !== tail) return;
    this.tails.delete(tail.runId);
    if (this.tails.size === 0 && this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
  }

  /** Events of these runs were committed somewhere; of this process's own runs they were pushed before. */
  private hint(ids: string): void {
    if (this.tails.size > 0 && ids.split(',').some((id) => this.tails.has(id))) this.look();
  }

  private make(runId: string): Tail {
    const tail = new Tail(runId);
    this.tails.set(runId, tail);
    tail.loaded = this.load(tail);
    tail.loaded.catch(() => {
      if (this.tails.get(runId) === tail) this.tails.delete(runId);
    });
    return tail;
  }

  /** Once for all who read it, from the beginning: a log is no longer than its answer. */
  private async load(tail: Tail): Promise<void> {
    for (;;) {
      const events = await this.events.page(tail.runId, tail.lastSeq, EVENTS_PER_LOOK);
      tail.push(events);
      if (events.length < EVENTS_PER_LOOK) return;
    }
  }

  private look(): void {
    this.lookAgain = this.looking !== null;
    if (this.looking !== null) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.looking = this.read()
      .then(
        () => void (this.failing = false),
        (error: unknown) => {
          if (!this.failing) this.logger.warn({ msg: 'events of runs cannot be read', err: error });
          this.failing = true;
        },
      )
      .finally(() => {
        this.looking = null;
        if (this.tails.size === 0) return;
        if (this.lookAgain && !this.failing) this.look();
        else this.timer ??= setTimeout(() => this.look(), POLL_MS).unref();
      });
  }

  /** States before events: what a run that has ended still had to say is then among the events. */
  private async read(): Promise<void> {
    const open = [...this.tails.values()].filter(({ ended }) => !ended);
    if (open.length === 0) return;
    const states = await this.events.states(open.map(({ runId }) => runId));
    for (let behind = open; behind.length > 0;) {
      const news = await this.events.news(
        new Map(behind.map(({ runId, lastSeq }) => [runId, lastSeq])),
        EVENTS_PER_LOOK,
      );
      for (const tail of behind) tail.push(news.get(tail.runId) ?? []);
      behind = behind.filter(({ runId }) => news.get(runId)?.length === EVENTS_PER_LOOK);
    }
    for (const tail of open) if (!GOING.has(states.get(tail.runId)) && !tail.ended) tail.end();
  }
}
