import { ToolFailure } from '../contract';

/** Calls of one host at once are this many times those of one run. */
const RUNS = 8;
/** One organization has half of them, so that it neither waits for one run of its own nor keeps a host from the others. */
const RUNS_OF_ONE = 4;
/** Calls that wait, for each that is worked on. */
const WAITING = 10;

interface Asking {
  readonly organizationId: string;
  /** `host:port`. */
  readonly target: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Bounds what one process asks of one host at the same time, and what one organization does: a slow one fills its own room. */
export class Bulkheads {
  private readonly rooms = new Map<string, Room>();
  private readonly capacity: number;
  private readonly share: number;

  constructor(parallelLimit: number) {
    this.capacity = RUNS * parallelLimit;
    this.share = RUNS_OF_ONE * parallelLimit;
  }

  /** Calls `work` when there is room. Rejects with `tool.unavailable` where too many wait. */
  through<T>({ organizationId, target, signal }: Asking, work: () => Promise<T>): Promise<T> {
    // In this order: waiting for its own organization, a call takes nobody's place at the host.
    return this.within(`${organizationId} ${target}`, this.share, signal, () =>
      this.within(target, this.capacity, signal, work),
    );
  }

  private async within<T>(name: string, capacity: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    let room = this.rooms.get(name);
    if (room === undefined) {
      room = new Room(capacity);
      this.rooms.set(name, room);
    }
    await room.enter(signal);
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      room.leave();
      if (room.isEmpty) this.rooms.delete(name);
    }
  }
}

/** Places that are handed on in the order of asking. Who stops waiting is out of the queue at once. */
class Room {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly capacity: number) {
    this.free = capacity;
  }

  get isEmpty(): boolean {
    return this.free === this.capacity;
  }

  /** Takes a place before it returns where one is free. Who entered must leave. */
  enter(signal: AbortSignal): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return Promise.resolve();
    }
    if (this.waiting.size >= WAITING * this.capacity)
      return Promise.reject(new ToolFailure('tool.unavailable', 'too many calls wait for the same server'));
    return new Promise((resolve, reject) => {
      const goOn = (): void => {
        signal.removeEventListener('abort', goAway);
        resolve();
      };
      const goAway = (): void => {
        this.waiting.delete(goOn);
        reject(signal.reason as Error);
      };
      this.waiting.add(goOn);
      signal.addEventListener('abort', goAway, { once: true });
    });
  }

  /** The place goes to who waits longest: nobody who comes just now is quicker. */
  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
