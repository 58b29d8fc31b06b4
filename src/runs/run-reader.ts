import type { RunStatus, StampedRunEvent } from '@bellwether/kernel';
import { AsyncResource } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { RunEndings } from './run-endings';
import { RunEventRepository } from './run-event.repository';
import { RunTails, type TakeEvents, lastSeqOf } from './run-tails';
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
   * Gives the events to `take` in non-empty batches: the same events with the same bytes in every process. Resolves after
   * the terminal event, or when the reader has left. A slow reader gets its next batch later and more at once, and delays no
   * other reader.
   */
  follow(record: RunRecord, options: FollowOptions, take: TakeEvents): Promise<void> {
    const bound = AsyncResource.bind(take);
    if (record.background) return this.followLog(record, options, bound);
    const run = this.active.get(record.id);
    if (run !== undefined) return followHere(run, options, bound);
    return isGoing(record.status) ? this.followElsewhere(record, options, bound) : this.replay(record, options, bound);
  }

  /** Events of a background run so far, except deltas. */
  events({ id }: RunRecord): Promise<readonly StampedRunEvent[]> {
    return this.log.documents(id);
  }

  async answer({ id, background }: RunRecord): Promise<string | null> {
    return background ? this.log.answer(id) : null;
  }

  private async followLog(
    { id, status }: RunRecord,
    { after, signal }: FollowOptions,
    take: TakeEvents,
  ): Promise<void> {
    let seq = after;
    if (!isGoing(status)) {
      for (let page = await this.page(id, seq); page.length > 0 && !signal.aborted; page = await this.page(id, seq)) {
        await take(page);
        seq = lastSeqOf(page);
      }
      return;
    }
    const tail = await this.tails.join(id);
    try {
      // A reader that claims a later event than the last one has seen all events.
      if (seq > tail.lastSeq) seq = Math.min(seq, await this.log.lastSeq(id));
      while (!signal.aborted) {
        const batch = tail.since(seq) ?? (await this.page(id, seq));
        if (batch.length > 0) {
          seq = lastSeqOf(batch);
          await take(batch);
        } else if (tail.ended || seq < tail.lastSeq) return;
        else seq = await tail.follow(seq, signal, take);
      }
    } finally {
      this.tails.leave(tail);
    }
  }

  private page(id: string, after: number): Promise<readonly LoggedEvent[]> {
    return this.log.page(id, after, PAGE);
  }

  /** A run that answers a request elsewhere: its events arrive with its record, after its end. */
  private async followElsewhere(record: RunRecord, options: FollowOptions, take: TakeEvents): Promise<void> {
    const tail = await this.tails.join(record.id);
    try {
      await tail.follow(tail.lastSeq, options.signal, () => undefined);
    } finally {
      this.tails.leave(tail);
    }
    await this.replay(record, options, take);
  }

  private async replay(
    { id, organizationId }: RunRecord,
    { after, signal }: FollowOptions,
    take: TakeEvents,
  ): Promise<void> {
    const record = this.endings.find(id) ?? (await this.runs.within(organizationId).record(id));
    const events = record?.events.filter(({ seq }) => seq > after).map(loggedEvent) ?? [];
    if (events.length > 0 && !signal.aborted) await take(events);
  }
}

/** Texts of events in memory, made once for all readers. */
const logged = new WeakMap<StampedRunEvent, LoggedEvent>();

function sharedEvent(event: StampedRunEvent): LoggedEvent {
  const shared = logged.get(event) ?? loggedEvent(event);
  logged.set(event, shared);
  return shared;
}

/** Follows a run of this process, whose events are in memory. */
async function followHere(run: Run, { after, signal }: FollowOptions, take: TakeEvents): Promise<void> {
  let wake = (): void => undefined;
  const woken = (): void => wake();
  const unfollow = run.follow(woken);
  signal.addEventListener('abort', woken);
  let seq = Math.min(after, run.recorded.length);
  try {
    while (!signal.aborted) {
      const events = run.recorded.slice(seq);
      seq += events.length;
      if (events.length > 0) await take(events.map(sharedEvent));
      else if (run.isClosed) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unfollow();
    signal.removeEventListener('abort', woken);
  }
}
