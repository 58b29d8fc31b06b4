import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CallerRenewal } from '../auth';
import { AppError, type Caller } from '../kernel';
import { SourceLinks } from '../knowledge-bases';
import { clientAbortSignal } from '../platform/http';
import { SseStream } from '../platform/sse';
import { type RunRecord, RunsService } from '../runs';
import { EventStreamCounts } from './event-stream-counts';
import { framesWithoutReasoning } from './plan-reasoning';
import { type ReachedRun, RunAccess } from './run-access.service';
import { ForeignFrames } from './run-foreign-frames';

/** How often it is looked whether the reader of an open stream may still read it. */
const CHECK_MS = 5_000;

const REFUSALS: ReadonlySet<string> = new Set(['unauthenticated', 'forbidden', 'not_found']);

interface Reading {
  readonly caller: Caller;
  readonly record: RunRecord;
  /** `seq` of the last event that the client has; 0 for none. */
  readonly after: number;
  /** Aborted when the reader has left, or may not read any more. */
  readonly signal: AbortSignal;
  withContents: boolean;
}

/** The events of a run as an answer. Whoever leaves leaves the run alone; whoever does not read is cut off and may come back. */
@Injectable()
export class RunEventStreams {
  constructor(
    private readonly runs: RunsService,
    private readonly links: SourceLinks,
    private readonly access: RunAccess,
    private readonly callers: CallerRenewal,
    private readonly counts: EventStreamCounts,
  ) {}

  /** Rejects only while a status can still be sent. @throws `not_found`, `too_many_requests` */
  async send(caller: Caller, id: string, after: number, response: Response): Promise<void> {
    const reached = await this.access.reach(caller, id);
    const leave = this.counts.enter(caller);
    const refusal = new AbortController();
    const signal = AbortSignal.any([clientAbortSignal(response), refusal.signal]);
    const reading: Reading = { ...reached, caller, after, signal };
    const stop = this.keepChecking(reading, refusal);
    try {
      await this.write(reading, response);
    } finally {
      stop();
      leave();
    }
  }

  private async write(reading: Reading, response: Response): Promise<void> {
    const { status } = reading.record;
    const pieces = this.pieces(reading);
    const isOver = status !== 'queued' && status !== 'running';
    // A live run is answered at once; of one that is over it is known first whether there is anything left to say.
    const first = isOver ? await pieces.next() : null;
    if (first?.done === true) {
      // Tells an EventSource that has everything not to come back (WHATWG "Server-sent events", 9.2.3).
      response.status(204).end();
      return;
    }
    const stream = new SseStream(response);
    stream.open();
    try {
      for (let piece = first ?? (await pieces.next()); piece.done !== true; piece = await pieces.next()) {
        if (!stream.write(piece.value)) await stream.drained();
        if (stream.isGone || reading.signal.aborted) break;
      }
    } catch {
      // Without a terminal event the client knows that there is more, and asks again from where it was.
    } finally {
      await pieces.return(undefined);
      stream.end();
    }
  }

  /** Frames as this reader may see them. */
  private async *pieces(reading: Reading): AsyncGenerator<string, void, void> {
    const { caller, record, after, signal } = reading;
    const others = record.userId === caller.userId ? null : new ForeignFrames(this.links, after);
    for await (const piece of this.runs.follow(record, { after: others === null ? after : 0, signal })) {
      const told = reading.withContents ? piece : framesWithoutReasoning(piece);
      const frames = others === null ? told : others.pass(told);
      if (frames !== '') yield frames;
    }
  }

  /** A stream may be open for long: credentials are revoked meanwhile, members leave, assistants are no longer shared. */
  private keepChecking(reading: Reading, refusal: AbortController): () => void {
    let timer: NodeJS.Timeout | null = null;
    const next = (): void => {
      timer = setTimeout(() => void check(), CHECK_MS).unref();
    };
    const check = async (): Promise<void> => {
      try {
        reading.withContents = (await this.reachNow(reading)).withContents;
      } catch (error) {
        // A database that is away for a moment refuses nobody.
        if (error instanceof AppError && REFUSALS.has(error.code)) refusal.abort();
      }
      if (timer !== null && !reading.signal.aborted) next();
    };
    next();
    return () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
  }

  private async reachNow({ caller, record }: Reading): Promise<ReachedRun> {
    const now = await this.callers.renew(caller);
    if (!now.scopes.includes('chat')) throw new AppError('forbidden', 'The credential lacks the scope chat');
    return this.access.reach(now, record.id);
  }
}
