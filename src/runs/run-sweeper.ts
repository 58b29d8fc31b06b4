import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config';
import { JobQueue, type SweepContext } from '../platform/jobs';
import { Signals } from '../platform/signals';
import { ActiveRuns } from './active-runs';
import { RunKeeper } from './run-keeper';
import { RunLifecycleRepository } from './run-lifecycle.repository';
import { idSignals, RUN_EVENTS } from './run-signals';

const REAP_LIMIT = 50;
const PRUNE_MS = 60 * 60_000;
const PRUNE_LIMIT = 500;

/** Ends runs whose process is gone, and lets go of what has been kept for long enough. */
@Injectable()
export class RunSweeper {
  private readonly logger = new Logger('Runs');

  constructor(
    private readonly lifecycle: RunLifecycleRepository,
    private readonly active: ActiveRuns,
    private readonly keeper: RunKeeper,
    private readonly signals: Signals,
    jobs: JobQueue,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    jobs.sweep((config.runs.leaseSeconds * 1_000) / 3, (context) => this.reap(context));
    jobs.sweep(PRUNE_MS, ({ first }) => (first ? Promise.resolve() : this.prune()));
  }

  /** The first time before anything runs: on a database of one's own, whatever seems to go on is over. */
  async reap({ alone, first }: SweepContext): Promise<void> {
    if (first) this.keeper.start();
    const seconds = alone && first ? 0 : this.config.runs.leaseSeconds;
    for (;;) {
      const ids = await this.lifecycle.reap(seconds, this.active.withRow(), REAP_LIMIT);
      if (ids.length > 0) this.logger.warn({ msg: 'runs of processes that are gone were ended', count: ids.length });
      for (const signal of idSignals(ids)) this.signals.publish(RUN_EVENTS, signal);
      if (ids.length < REAP_LIMIT) return;
    }
  }

  async prune(): Promise<void> {
    while ((await this.lifecycle.prune(this.config.runs.retentionDays, PRUNE_LIMIT)) === PRUNE_LIMIT);
  }
}
