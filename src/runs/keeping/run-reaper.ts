import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import type { SweepContext } from '../../infrastructure/jobs';
import { Signals } from '../../infrastructure/signals';
import { RunJobs } from '../background/run-jobs';
import { idSignals, RUN_EVENTS } from '../log/run-signals';
import { ActiveRuns } from '../run/active-runs';
import { RunKeeper } from './run-keeper';
import { type ExpiredRun, RunLeaseRepository } from './run-lease.repository';

const REAP_LIMIT = 50;
/** Share of the lease between two sweeps. It exceeds `BEAT_SHARE`, so a live process beats between them. */
const SWEEP_SHARE = 0.4;
const BEAT_SHARE = 1 / 3;

interface SeenRun extends ExpiredRun {
  /** Monotonic milliseconds of the first sweep that saw this heartbeat. */
  readonly since: number;
}

/** Ends or requeues runs whose process is gone. */
@Injectable()
export class RunReaper {
  private readonly logger = new Logger('Runs');
  /** Expired runs of the last sweep. */
  private seen: ReadonlyMap<string, SeenRun> = new Map();
  private readonly leaseSeconds: number;

  constructor(
    private readonly leases: RunLeaseRepository,
    private readonly active: ActiveRuns,
    private readonly keeper: RunKeeper,
    private readonly signals: Signals,
    private readonly jobs: RunJobs,
    @Inject(CONFIG) { runs }: Config,
  ) {
    this.leaseSeconds = runs.leaseSeconds;
    jobs.sweep(runs.leaseSeconds * 1_000 * SWEEP_SHARE, (context) => this.reap(context));
  }

  /** The first sweep of a process that has the database to itself ends every run: no other process executes it. */
  async reap({ alone, first }: SweepContext): Promise<void> {
    if (first) this.keeper.start();
    const all = alone && first;
    const before = this.seen;
    // A failed sweep is an outage: the waiting time starts anew.
    this.seen = new Map();
    const expired = await this.leases.expired(all ? 0 : this.leaseSeconds, this.active.withRow());
    const lost = all ? expired : this.expiredTwice(expired, before);
    for (let n = 0; n < lost.length; n += REAP_LIMIT) {
      const { failed, requeued } = await this.leases.reap(lost.slice(n, n + REAP_LIMIT), (ids, tx) =>
        this.jobs.send(ids, tx),
      );
      if (failed.length > 0) this.logger.warn({ msg: 'runs of dead processes failed', count: failed.length });
      if (requeued.length > 0)
        this.logger.warn({ msg: 'runs of dead processes were queued again', count: requeued.length });
      for (const signal of idSignals(failed)) this.signals.publish(RUN_EVENTS, signal);
      this.jobs.wake();
    }
  }

  /** After a database outage every heartbeat is old. A run is lost when the next heartbeat stays out as well. */
  private expiredTwice(expired: readonly ExpiredRun[], before: ReadonlyMap<string, SeenRun>): ExpiredRun[] {
    const now = performance.now();
    const known = expired.map((run) => {
      const seen = before.get(run.id);
      return seen?.heartbeat === run.heartbeat ? seen : { ...run, since: now };
    });
    this.seen = new Map(known.map((run) => [run.id, run]));
    return known.filter(({ since }) => now - since >= this.leaseSeconds * 1_000 * BEAT_SHARE);
  }
}
