import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config';
import { JobQueue, type SweepContext } from '../platform/jobs';
import { Signals } from '../platform/signals';
import { ActiveRuns } from './active-runs';
import { RunKeeper } from './run-keeper';
import { RunLifecycleRepository, type SilentRun } from './run-lifecycle.repository';
import { jobOf, runQueue } from './run-queue';
import { idSignals, RUN_EVENTS } from './run-signals';

const REAP_LIMIT = 50;
/** Of the lease. More than the third after which a process beats again: it does so before it is looked at twice. */
const REAP_SHARE = 0.4;
const BEAT_SHARE = 1 / 3;
const PRUNE_MS = 60 * 60_000;
const PRUNE_LIMIT = 500;

interface Silence extends SilentRun {
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Ends runs whose process is gone, and lets go of what has been kept for long enough. */
@Injectable()
export class RunSweeper {
  private readonly logger = new Logger('Runs');
  /** Runs that were silent at the last look. */
  private silent: ReadonlyMap<string, Silence> = new Map();

  constructor(
    private readonly lifecycle: RunLifecycleRepository,
    private readonly active: ActiveRuns,
    private readonly keeper: RunKeeper,
    private readonly signals: Signals,
    private readonly jobs: JobQueue,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    jobs.sweep(config.runs.leaseSeconds * 1_000 * REAP_SHARE, (context) => this.reap(context));
    jobs.sweep(PRUNE_MS, ({ first }) => (first ? Promise.resolve() : this.prune()));
  }

  /** The first time before anything runs: on a database of one's own, whatever seems to go on is over. */
  async reap({ alone, first }: SweepContext): Promise<void> {
    if (first) this.keeper.start();
    const over = alone && first;
    const before = this.silent;
    // A look that fails sees an outage, after which the time begins anew.
    this.silent = new Map();
    const silent = await this.lifecycle.silent(over ? 0 : this.config.runs.leaseSeconds, this.active.withRow());
    const lost = over ? silent : this.silentFor(this.config.runs.leaseSeconds * 1_000 * BEAT_SHARE, silent, before);
    const queue = runQueue(this.config.runs.concurrency);
    for (let n = 0; n < lost.length; n += REAP_LIMIT) {
      const { ended, again } = await this.lifecycle.reap(lost.slice(n, n + REAP_LIMIT), (ids, tx) =>
        this.jobs.send(queue, ids.map(jobOf), tx),
      );
      if (ended.length > 0)
        this.logger.warn({ msg: 'runs of processes that are gone were ended', count: ended.length });
      if (again.length > 0)
        this.logger.warn({ msg: 'runs of processes that are gone begin again', count: again.length });
      for (const signal of idSignals(ended)) this.signals.publish(RUN_EVENTS, signal);
      this.jobs.wake(queue);
    }
  }

  /**
   * When the database comes back after an outage, nobody has given a sign of life for its length: gone is only who lets
   * the time pass after that in which he should have given one.
   */
  private silentFor(leastMs: number, silent: readonly SilentRun[], before: ReadonlyMap<string, Silence>): SilentRun[] {
    const now = performance.now();
    const known = silent.map((run) => {
      const seen = before.get(run.id);
      return seen?.sign === run.sign ? seen : { ...run, since: now };
    });
    this.silent = new Map(known.map((run) => [run.id, run]));
    return known.filter(({ since }) => now - since >= leastMs);
  }

  async prune(): Promise<void> {
    while ((await this.lifecycle.prune(this.config.runs.retentionDays, PRUNE_LIMIT)) === PRUNE_LIMIT);
  }
}
