export interface QueueFigures {
  readonly queue: string;
  /** Jobs that could begin now. */
  readonly waiting: number;
  /** Jobs that wait for their next try. */
  readonly delayed: number;
  readonly active: number;
  /** Jobs that failed for good within the last hour. */
  readonly failed: number;
  /** Seconds that the oldest waiting job could have begun ago; 0 without one. */
  readonly oldest_seconds: number;
}

export interface TableFigures {
  readonly table: string;
  readonly bytes: number;
  readonly index_bytes: number;
}

/** Sizes and queues of the whole installation. */
export interface InstallationFigures {
  readonly database_bytes: number;
  /** The largest tables, largest first. */
  readonly tables: readonly TableFigures[];
  readonly queues: readonly QueueFigures[];
}

export interface MeasuredFigures extends InstallationFigures {
  readonly measuredAt: Date;
}
