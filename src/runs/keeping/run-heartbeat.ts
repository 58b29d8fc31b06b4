import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { isDatabaseUnavailable } from '../../infrastructure/database';
import { RepeatedWork, type SweepContext } from '../../infrastructure/jobs';
import { Signals } from '../../infrastructure/signals';
import { RunJobs } from '../background-runs';
import { RunJournal } from '../run-journal';
import { RUN_EVENTS, idSignals } from '../run-tails';
import { runningRecord } from '../run-record';
import { RunRepository } from '../run.repository';
import { ActiveRuns } from '../run';
import { RunCanceller } from './run-canceller';
import { type ExpiredRun, RunLeaseRepository } from './run-lease.repository';

const REAP_LIMIT = 50;
/** Share of the lease between two sweeps. It exceeds `BEAT_SHARE`, so a live process beats between them. */
const SWEEP_SHARE = 0.4;
const BEAT_SHARE = 1 / 3;

interface SeenRun extends ExpiredRun {
  /** Monotonic milliseconds of the first sweep that saw this heartbeat. */
  readonly since: number;
}

const PRUNE_MS = 60 * 60_000;
const PRUNE_LIMIT = 500;

/** Deletes the contents of old runs and keeps their figures. */
@Injectable()
export class RunRetention {
  private readonly days: number;

  constructor(
    private readonly runs: RunRepository,
    jobs: RunJobs,
    @Inject(CONFIG) config: Config,
  ) {
    this.days = config.runs.retentionDays;
    jobs.sweep(PRUNE_MS, ({ first }) => (first ? Promise.resolve() : this.prune()));
  }

  async prune(): Promise<void> {
    while ((await this.runs.prune(this.days, PRUNE_LIMIT)) === PRUNE_LIMIT);
  }
}

/** Interval of the polls for cancel requests and for long runs. */
const POLL_MS = 500;
/** A run that answers a request gets a row before its end only when it takes longer. */
const SHORT_RUN_MS = 1_000;

/** Keeps the rows of this process's runs: heartbeats, cancel requests, and rows for long runs. */
@Injectable()
export class RunHeartbeat implements BeforeApplicationShutdown {
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
    private readonly heartbeat: RunHeartbeat,
    private readonly signals: Signals,
    private readonly jobs: RunJobs,
    @Inject(CONFIG) { runs }: Config,
  ) {
    this.leaseSeconds = runs.leaseSeconds;
    jobs.sweep(runs.leaseSeconds * 1_000 * SWEEP_SHARE, (context) => this.reap(context));
  }

  /** The first sweep of a process that has the database to itself ends every run: no other process executes it. */
  async reap({ alone, first }: SweepContext): Promise<void> {
    if (first) this.heartbeat.start();
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
