import { AppError } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { Signals } from '../../infrastructure/signals';
import { RUN_CANCEL, RUN_EVENTS } from '../run-tails';
import { ActiveRuns, type Run } from '../run';
import { RunCancelRepository } from './run-cancel.repository';

/** Cancels queued and running runs, in whichever process they run. */
@Injectable()
export class RunCanceller {
  private readonly logger = new Logger('Runs');

  constructor(
    private readonly cancels: RunCancelRepository,
    private readonly active: ActiveRuns,
    private readonly signals: Signals,
  ) {}

  /**
   * Takes effect at once for queued runs and runs of this process. Another process learns of it by a signal or its poll.
   * False for a run that is neither queued nor running. @throws AppError `run_ended` for one that has just ended otherwise.
   */
  async cancel(organizationId: string, id: string, reason: string): Promise<boolean> {
    const run = this.active.get(id);
    if (run?.input.assistant.organizationId === organizationId) {
      await this.cancelHere(run, reason);
      return true;
    }
    if (await this.cancels.cancelQueued(organizationId, id, reason)) {
      this.signals.publish(RUN_EVENTS, id);
      return true;
    }
    const requested = await this.cancels.request(organizationId, id, reason);
    if (requested) this.signals.publish(RUN_CANCEL, id);
    return requested;
  }

  /** Reacts to the signals of other processes; `track` is given the work. */
  listen(track: (work: Promise<void>) => void): void {
    this.signals.start();
    this.signals.on(RUN_CANCEL, (ids) => {
      if (ids.split(',').some((id) => this.active.get(id) !== undefined)) track(this.abortRequested());
    });
  }

  /** Aborts the runs of this process that another one wants to cancel. */
  async abortRequested(): Promise<void> {
    if (this.active.withRow().length === 0) return;
    for (const { id, reason } of await this.cancels.requested(this.active.workerId)) this.active.get(id)?.abort(reason);
  }

  private async cancelHere(run: Run, reason: string): Promise<void> {
    if (run.isClosed) {
      if (run.recorded.at(-1)?.type === 'run.cancelled') return;
      throw new AppError('run_ended', 'The run has ended');
    }
    run.abort(reason);
    if (!this.active.hasRow(run.id)) return;
    try {
      await this.cancels.request(run.input.assistant.organizationId, run.id, reason);
    } catch (error) {
      // The run is aborted all the same; the row only records the request.
      this.logger.warn({ msg: 'a cancel request could not be written', run_id: run.id, err: error });
    }
  }
}
