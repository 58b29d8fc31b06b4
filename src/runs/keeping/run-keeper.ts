import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { isDatabaseUnavailable } from '../../infrastructure/database';
import { RepeatedWork } from '../../infrastructure/jobs';
import { RunJournal } from '../log/run-journal';
import { runningRecord } from '../record/run-record';
import { RunRepository } from '../record/run.repository';
import { ActiveRuns } from '../run/active-runs';
import { RunCanceller } from './run-canceller';
import { RunLeaseRepository } from './run-lease.repository';

/** Interval of the polls for cancel requests and for long runs. */
const POLL_MS = 500;
/** A run that answers a request gets a row before its end only when it takes longer. */
const SHORT_RUN_MS = 1_000;

/** Keeps the rows of this process's runs: heartbeats, cancel requests, and rows for long runs. */
@Injectable()
export class RunKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Runs');
  private readonly background = new RepeatedWork((error) =>
    this.logger.warn({ msg: 'heartbeats or cancel requests of runs failed, trying again', err: error }),
  );

  constructor(
    private readonly leases: RunLeaseRepository,
    private readonly canceller: RunCanceller,
    private readonly runs: RunRepository,
    private readonly journal: RunJournal,
    private readonly active: ActiveRuns,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Called by a process that serves; later calls do nothing. */
  start(): void {
    if (this.background.isBegun) return;
    this.canceller.listen((work) => this.background.track(work));
    this.background.every(POLL_MS, async () => {
      await this.insertLongRuns();
      await this.canceller.abortRequested();
    });
    this.background.every((this.config.runs.leaseSeconds * 1_000) / 3, () => this.beat());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.background.stop();
    await this.background.settled();
  }

  async beat(): Promise<void> {
    const ids = this.active.withRow();
    if (ids.length === 0) return;
    const ours = await this.leases.beat(this.active.workerId, ids);
    // Only a background run stops when its row is lost.
    for (const id of ids) if (!ours.has(id)) this.journal.lose(id);
  }

  async insertLongRuns(): Promise<void> {
    const begun = performance.now() - SHORT_RUN_MS;
    const long = this.active.values().filter((run) => run.startedMono <= begun && !this.active.hasRow(run.id));
    if (long.length === 0) return;
    try {
      await this.runs.insertRunning(this.active.workerId, long.map(runningRecord));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // Other processes cannot list them; they end and are recorded as usual.
      this.logger.warn({ msg: 'rows of long runs were refused by the database', count: long.length, err: error });
    }
    for (const { id } of long) this.active.keepRow(id);
  }
}
