import { Injectable } from '@nestjs/common';
import { JobQueue, type SweepContext } from '../../infrastructure/jobs';
import { SourceRequests } from './source-requests';
import { SourceRepository } from './storage/source.repository';

const EVERY_MS = 30_000;
const BATCH = 1_000;

/** Starts refreshes whose time has come, and those whose job was lost. */
@Injectable()
export class SourceSweep {
  constructor(
    private readonly sources: SourceRepository,
    private readonly requests: SourceRequests,
    jobs: JobQueue,
  ) {
    jobs.sweep(EVERY_MS, (context) => this.sweep(context));
  }

  async sweep({ alone, first }: SweepContext): Promise<void> {
    await this.sources.startDue(alone && first);
    await this.requests.repair(await this.sources.waiting(BATCH));
  }
}
