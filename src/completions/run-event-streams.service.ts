import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { SourceLinks } from '../knowledge-bases';
import { clientAbortSignal } from '../platform/http';
import { SseStream } from '../platform/sse';
import { type RunRecord, RunsService } from '../runs';

export interface EventReader {
  /** `seq` of the last event that the client has; 0 for none. */
  readonly after: number;
  /** False for whoever reads what somebody else has asked: the links in it are not his. */
  readonly isAsker: boolean;
}

/** The events of a run as an answer. Whoever leaves leaves the run alone; whoever does not read is cut off and may come back. */
@Injectable()
export class RunEventStreams {
  constructor(
    private readonly runs: RunsService,
    private readonly links: SourceLinks,
  ) {}

  /** Rejects only while a status can still be sent. */
  async send(record: RunRecord, { after, isAsker }: EventReader, response: Response): Promise<void> {
    const pieces = this.runs.follow(record, { after, signal: clientAbortSignal(response) })[Symbol.asyncIterator]();
    const isOver = record.status !== 'queued' && record.status !== 'running';
    // A live run is answered at once; of one that is over it is known first whether there is anything left to say.
    const first = isOver ? await pieces.next() : null;
    if (first?.done === true) {
      // Tells an EventSource that has everything not to come back (WHATWG "Server-sent events", 9.2.3).
      response.status(204).end();
      return;
    }
    const stream = new SseStream(response);
    stream.open();
    const write = async (frames: string): Promise<void> => {
      if (!stream.write(isAsker ? frames : this.links.withoutTokens(frames))) await stream.drained();
    };
    try {
      for (let piece = first ?? (await pieces.next()); piece.done !== true; piece = await pieces.next()) {
        await write(piece.value);
        if (stream.isGone) break;
      }
    } catch {
      // Without a terminal event the client knows that there is more, and asks again from where it was.
    } finally {
      await pieces.return?.(undefined);
      stream.end();
    }
  }
}
