import type { RunStatus, StampedRunEvent } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { RunEndings } from './run-endings';
import { RunEventRepository } from './run-event.repository';
import { RunTails } from './run-tails';
import { RunRepository } from './run.repository';
import { ActiveRuns, type Run, loggedEvent } from './run';
import type { LoggedEvent, RunRecord } from './run.types';

const PAGE = 200;

export interface FollowOptions {
  /** `seq` of the last event that the reader has; 0 for none. */
  readonly after: number;
  /** Aborted when the reader leaves; the events then end. */
  readonly signal: AbortSignal;
}

/** Events in order, in non-empty batches. */
export type EventBatches = AsyncGenerator<readonly LoggedEvent[], void, void>;

const isGoing = (status: RunStatus): boolean => status === 'queued' || status === 'running';

/** Reads the events of a run from any point on, in any process. */
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
   * Same events, same bytes in every process; ends after the terminal event. A slow reader pulls its next batch later, gets
   * more at once, and delays no other reader.
   */
  follow(record: RunRecord, options: FollowOptions): EventBatches {
    if (record.background) return this.followLog(record, options);
    const run = this.active.get(record.id);
    if (run !== undefined) return followHere(run, options);
    return isGoing(record.status) ? this.followElsewhere(record, options) : this.replay(record, options);
  }

  /** Events of a background run so far, except deltas. */
  events({ id }: RunRecord): Promise<readonly StampedRunEvent[]> {
    return this.log.documents(id);
  }

  async answer({ id, background }: RunRecord): Promise<string | null> {
    return background ? this.log.answer(id) : null;
  }

  private async *followLog({ id, status }: RunRecord, { after, signal }: FollowOptions): EventBatches {
    let seq = after;
    if (!isGoing(status)) {
      for (let page = await this.page(id, seq); page.length > 0 && !signal.aborted; page = await this.page(id, seq)) {
        yield page;
        seq = lastSeqOf(page);
      }
      return;
    }
    const tail = await this.tails.join(id);
    const left = whenAborted(signal);
    try {
      // A reader that claims a later event than the last one has seen all events.
      if (seq > tail.lastSeq) seq = Math.min(seq, await this.log.lastSeq(id));
      while (!left.gone) {
        const { changed } = tail;
        const batch = tail.since(seq) ?? (await this.page(id, seq));
        if (batch.length > 0) {
          yield batch;
          seq = lastSeqOf(batch);
        } else if (tail.ended || seq < tail.lastSeq) return;
        else await left.or(changed);
      }
    } finally {
      this.tails.leave(tail);
      left.stop();
    }
  }

  private page(id: string, after: number): Promise<readonly LoggedEvent[]> {
    return this.log.page(id, after, PAGE);
  }

  /** A run that answers a request elsewhere: its events arrive with its record, after its end. */
  private async *followElsewhere(record: RunRecord, options: FollowOptions): EventBatches {
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

  private async *replay({ id, organizationId }: RunRecord, { after, signal }: FollowOptions): EventBatches {
    const record = this.endings.find(id) ?? (await this.runs.within(organizationId).record(id));
    const events = record?.events.filter(({ seq }) => seq > after).map(loggedEvent) ?? [];
    if (events.length > 0 && !signal.aborted) yield events;
  }
}

const lastSeqOf = (events: readonly LoggedEvent[]): number => events.at(-1)?.seq ?? 0;

/** Follows a run of this process, whose events are in memory. */
async function* followHere(run: Run, { after, signal }: FollowOptions): EventBatches {
  const left = whenAborted(signal);
  let told = (): void => undefined;
  let changed = new Promise<void>((resolve) => (told = resolve));
  const wake = (): void => {
    told();
    changed = new Promise<void>((resolve) => (told = resolve));
  };
  const unfollow = run.follow(wake);
  let seq = Math.min(after, run.recorded.length);
  try {
    while (!left.gone) {
      const next = changed;
      const closed = run.isClosed;
      const events = run.recorded.slice(seq);
      seq += events.length;
      if (events.length > 0) yield events.map(loggedEvent);
      else if (closed) return;
      else await left.or(next);
    }
  } finally {
    unfollow();
    left.stop();
  }
}

/** Waits that end when the reader leaves. `Promise.race` would add a reaction to the abort promise at every wait. */
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
