import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { RunJobs } from '../background/run-jobs';
import { RunRepository } from '../record/run.repository';

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
