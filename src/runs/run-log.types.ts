import type { RunEvent, StampedRunEvent } from '../kernel';

/** Where the events of a background run go. */
export interface RunLog {
  /** Takes an event with its final `seq`; it may be read once it is committed. */
  append(event: StampedRunEvent): void;
  /** False when it holds more than it should: what can be left out is left out then. */
  readonly hasRoom: boolean;
  /** Resolves when little enough waits to be committed, or nothing will be any more. */
  drained(): Promise<void>;
}

/** An event as it lies in the log and on the wire: `data` is the JSON text of the stamped event, made once. */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: RunEvent['type'];
  readonly at: string;
  readonly data: string;
}

/** A run that is known before it begins. */
export interface RunSeed {
  readonly id: string;
  /** When it was asked for. */
  readonly createdAt: Date;
  readonly log: RunLog;
  /** `seq` of the last event of an earlier try; 0 for none. */
  readonly lastSeq: number;
}
