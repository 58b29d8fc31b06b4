import type { RunEvent, StampedRunEvent } from '../../kernel';

/** The event log of a background run. */
export interface RunLog {
  /** Readers see the event after its commit. */
  append(event: StampedRunEvent): void;
  /** False when the buffer is full; then only the terminal event is appended. */
  readonly hasRoom: boolean;
  /** Resolves when the buffer is below its high-water mark, or the log is closed. */
  drained(): Promise<void>;
}

/** An event in the log and on the wire. `data` is the JSON text of the stamped event. */
export interface LoggedEvent {
  readonly seq: number;
  readonly type: RunEvent['type'];
  readonly at: string;
  readonly data: string;
}

/** The stored facts of a background run. */
export interface RunSeed {
  readonly id: string;
  readonly createdAt: Date;
  readonly log: RunLog;
  /** `seq` of the last event of an earlier try; 0 for none. */
  readonly lastSeq: number;
}
