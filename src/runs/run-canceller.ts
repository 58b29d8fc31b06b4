import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '../kernel';
import { Signals } from '../platform/signals';
import { ActiveRuns } from './active-runs';
import type { Run } from './run';
import { RunLifecycleRepository } from './run-lifecycle.repository';
import { RUN_CANCEL, RUN_EVENTS } from './run-signals';

/** Ends runs wherever they wait or go on. */
@Injectable()
export class RunCanceller {
  private readonly logger = new Logger('Runs');

  constructor(
    private readonly lifecycle: RunLifecycleRepository,
    private readonly active: ActiveRuns,
    private readonly signals: Signals,
  ) {}

  /**
   * At once where it goes on here or waits; elsewhere as soon as its process hears of it or looks, which is within a second.
   * False for a run that neither waits nor goes on. @throws AppError `run_ended` for one that is just ending otherwise.
   */
  async cancel(organizationId: string, id: string, reason: string): Promise<boolean> {
    const run = this.active.get(id);
    if (run?.input.assistant.organizationId === organizationId) {
      await this.cancelHere(run, reason);
      return true;
    }
    if (await this.lifecycle.cancelQueued(organizationId, id, reason)) {
      this.signals.publish(RUN_EVENTS, id);
      return true;
    }
    const asked = await this.lifecycle.askToCancel(organizationId, id, reason);
    if (asked) this.signals.publish(RUN_CANCEL, id);
    return asked;
  }

  private async cancelHere(run: Run, reason: string): Promise<void> {
    if (run.isClosed) {
      if (run.recorded.at(-1)?.type === 'run.cancelled') return;
      throw new AppError('run_ended', 'The run has ended');
    }
    run.abort(reason);
    if (!this.active.hasRow(run.id)) return;
    try {
      await this.lifecycle.askToCancel(run.input.assistant.organizationId, run.id, reason);
    } catch (error) {
      // It ends all the same: the row only remembers who wanted it to.
      this.logger.warn({ msg: 'the wish to cancel a run could not be written', run_id: run.id, err: error });
    }
  }
}
