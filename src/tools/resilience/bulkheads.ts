import { GateFullError, KeyedGates } from '../../kernel';
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

/**
 * Bounds the calls that one process makes to one host at the same time, and those of one organization among them: a slow
 * host fills its own bulkhead only.
 */
export class Bulkheads {
  private readonly hosts: KeyedGates;
  private readonly organizations: KeyedGates;

  constructor(parallelLimit: number) {
    const capacity = RUNS * parallelLimit;
    const share = RUNS_OF_ONE * parallelLimit;
    this.hosts = new KeyedGates(capacity, WAITING * capacity);
    this.organizations = new KeyedGates(share, WAITING * share);
  }

  get isIdle(): boolean {
    return this.hosts.size + this.organizations.size === 0;
  }

  /** Calls `work` with a permit. Rejects with `tool.unavailable` where too many wait. */
  async through<T>({ organizationId, target, signal }: Asking, work: () => Promise<T>): Promise<T> {
    // In this order: a call that waits for its own organization holds no permit of the host.
    const atHost = (): Promise<T> => this.hosts.run(target, work, signal);
    try {
      return await this.organizations.run(`${organizationId} ${target}`, atHost, signal);
    } catch (error) {
      if (!(error instanceof GateFullError)) throw error;
      throw new ToolFailure('tool.unavailable', 'too many calls wait for the same server');
    }
  }
}
