import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config';
import { isDatabaseUnavailable } from '../platform/database';
import { RepeatedWork } from '../platform/jobs';
import { Signals } from '../platform/signals';
import { ActiveRuns } from './active-runs';
import { RunJournal } from './run-journal';
import { RunLifecycleRepository } from './run-lifecycle.repository';
import { runningRecord } from './run-record';
import { RUN_CANCEL } from './run-signals';
import { RunRepository } from './run.repository';
import type { RunRecord } from './run.types';

/** How often wishes to cancel are looked for, and runs that last. */
const WATCH_MS = 500;
/** A run that answers a request has no row before its end, unless it lasts. */
const SHORT_RUN_MS = 1_000;

/** Lets other processes know of the runs that go on here, and this one of what others want of them. */
@Injectable()
export class RunKeeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Runs');
  private readonly background = new RepeatedWork((error) =>
    this.logger.warn({ msg: 'runs could not be looked after, trying again', err: error }),
  );

  constructor(
    private readonly lifecycle: RunLifecycleRepository,
    private readonly runs: RunRepository,
    private readonly journal: RunJournal,
    private readonly active: ActiveRuns,
    private readonly signals: Signals,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Called once, by a process that serves. */
  start(): void {
    if (this.background.isBegun) return;
    this.signals.start();
    this.signals.on(RUN_CANCEL, (ids) => {
      if (ids.split(',').some((id) => this.active.get(id) !== undefined))
        this.background.track(this.cancelWhatShouldEnd());
    });
    this.background.every(WATCH_MS, async () => {
      await this.showWhatLasts();
      await this.cancelWhatShouldEnd();
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
    const ours = await this.lifecycle.beat(this.active.workerId, ids);
    // A run that answers a request goes on without its row; one in the background has nobody else.
    for (const id of ids) if (!ours.has(id)) this.journal.lose(id);
  }

  async cancelWhatShouldEnd(): Promise<void> {
    if (this.active.withRow().length === 0) return;
    for (const { id, reason } of await this.lifecycle.cancels(this.active.workerId)) this.active.get(id)?.abort(reason);
  }

  async showWhatLasts(): Promise<void> {
    const begun = performance.now() - SHORT_RUN_MS;
    const lasting = this.active.values().filter((run) => run.startedMono <= begun && !this.active.hasRow(run.id));
    if (lasting.length > 0) await this.show(lasting.map(runningRecord));
  }

  private async show(records: readonly RunRecord[]): Promise<void> {
    try {
      await this.runs.insertGoing(this.active.workerId, records);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      // Without a row they are less visible, and end all the same.
      this.logger.warn({ msg: 'runs that go on could not be shown', count: records.length, err: error });
    }
    for (const { id } of records) this.active.keepRow(id);
  }
}
