import { Injectable } from '@nestjs/common';
import type { RunStatus, StampedRunEvent } from '../kernel';
import { ActiveRuns } from './active-runs';
import type { Run } from './run';
import { RunEndings } from './run-endings';
import { RunEventRepository } from './run-event.repository';
import { frameOf, loggedEvent } from './run-frame';
import { RunTails } from './run-tails';
import { RunRepository } from './run.repository';
import type { RunRecord } from './run.types';

const PAGE = 200;

export interface FollowOptions {
  /** `seq` of the last event that the reader has; 0 for none. */
  readonly after: number;
  /** Aborted when the reader has left: the frames end. */
  readonly signal: AbortSignal;
}

const isGoing = (status: RunStatus): boolean => status === 'queued' || status === 'running';

/** Frames of a run's events, from any point on, wherever the run goes on or went. */
@Injectable()
export class RunReader {
  constructor(
    private readonly log: RunEventRepository,
    private readonly runs: RunRepository,
    private readonly tails: RunTails,
    private readonly active: ActiveRuns,
    private readonly endings: RunEndings,
  ) {}

  /**
   * Server-sent events in pieces of whole frames, the same bytes whoever reads when and where; ends after the terminal event.
   * A reader is given the next piece when he asks for it: one who is slow gets more at once, and holds nothing up.
   */
  follow(record: RunRecord, options: FollowOptions): AsyncGenerator<string, void, void> {
    if (record.background) return this.followLog(record, options);
    const run = this.active.get(record.id);
    if (run !== undefined) return followHere(run, options);
    return isGoing(record.status) ? this.followElsewhere(record, options) : this.replay(record, options);
  }

  /** Everything that a background run has told so far but its deltas. */
  events({ id }: RunRecord): Promise<readonly StampedRunEvent[]> {
    return this.log.documents(id);
  }

  async answer({ id, background }: RunRecord): Promise<string | null> {
    return background ? this.log.answer(id) : null;
  }

  private async *followLog(
    { id, status }: RunRecord,
    { after, signal }: FollowOptions,
  ): AsyncGenerator<string, void, void> {
    let seq = after;
    if (!isGoing(status)) {
      for (let page = await this.page(id, seq); page !== null && !signal.aborted; page = await this.page(id, seq)) {
        yield page.text;
        seq = page.seq;
      }
      return;
    }
    const tail = await this.tails.join(id);
    const left = whenAborted(signal);
    try {
      // Whoever says that he has seen more than there is has seen all there is.
      if (seq > tail.lastSeq) seq = Math.min(seq, await this.log.lastSeq(id));
      while (!left.gone) {
        const { changed } = tail;
        const chunk = tail.since(seq) ?? (seq < tail.lastSeq ? await this.page(id, seq) : null);
        if (chunk !== null) {
          yield chunk.text;
          seq = chunk.seq;
        } else if (tail.ended || seq < tail.lastSeq) return;
        else await left.or(changed);
      }
    } finally {
      this.tails.leave(tail);
      left.stop();
    }
  }

  private async page(id: string, after: number): Promise<{ text: string; seq: number } | null> {
    const events = await this.log.page(id, after, PAGE);
    const last = events.at(-1);
    return last === undefined ? null : { text: events.map(frameOf).join(''), seq: last.seq };
  }

  /** Its events come with its record, when it has ended. */
  private async *followElsewhere(record: RunRecord, options: FollowOptions): AsyncGenerator<string, void, void> {
    const tail = await this.tails.join(record.id);
    const left = whenAborted(options.signal);
    try {
      while (!left.gone && !tail.ended) await left.or(tail.changed);
    } finally {
      this.tails.leave(tail);
      left.stop();
    }
    yield* this.replay(record, options);
  }

  private async *replay(
    { id, organizationId }: RunRecord,
    { after, signal }: FollowOptions,
  ): AsyncGenerator<string, void, void> {
    const record = this.endings.find(id) ?? (await this.runs.within(organizationId).record(id));
    const frames = record?.events.filter(({ seq }) => seq > after).map((event) => frameOf(loggedEvent(event))) ?? [];
    if (frames.length > 0 && !signal.aborted) yield frames.join('');
  }
}

/** A run that answers a request in this process: its events are in its hands. */
async function* followHere(run: Run, { after, signal }: FollowOptions): AsyncGenerator<string, void, void> {
  const left = whenAborted(signal);
  let told = (): void => undefined;
  let changed = new Promise<void>((resolve) => (told = resolve));
  const wake = (): void => {
    told();
    changed = new Promise<void>((resolve) => (told = resolve));
  };
  const listening = run.events$.subscribe({ next: wake, complete: wake });
  let seq = Math.min(after, run.recorded.length);
  try {
    while (!left.gone) {
      const next = changed;
      const closed = run.isClosed;
      const events = run.recorded.slice(seq);
      seq += events.length;
      if (events.length > 0) yield events.map((event) => frameOf(loggedEvent(event))).join('');
      else if (closed) return;
      else await left.or(next);
    }
  } finally {
    listening.unsubscribe();
    left.stop();
  }
}

/** Waits that end when the reader leaves. Nothing is held on to between them: a reader may wait a thousand times. */
interface Leaving {
  readonly gone: boolean;
  or(change: Promise<void>): Promise<void>;
  stop(): void;
}

function whenAborted(signal: AbortSignal): Leaving {
  let wake = (): void => undefined;
  const leaving = {
    gone: signal.aborted,
    or: (change: Promise<void>): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
        if (leaving.gone) resolve();
        else void change.then(resolve);
      }),
    stop: () => signal.removeEventListener('abort', onAbort),
  };
  const onAbort = (): void => {
    leaving.gone = true;
    wake();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return leaving;
}
