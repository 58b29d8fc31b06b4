import { AppError, Semaphore } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { MetadataVersion, RewritePlan } from '../definition';
import { METADATA_MIGRATOR, type MetadataMigrator } from './metadata-migrator.token';
import type { RewriteSubject } from './rewriting.types';

const MOST_WAITING = 31;
const TRY_AGAIN_SECONDS = 5;

/** Plans for requests. A proof is computation, so one runs at a time and yields to the event loop in between. */
@Injectable()
export class RequestedPlans {
  private readonly turns = new Semaphore(1, MOST_WAITING);

  constructor(@Inject(METADATA_MIGRATOR) private readonly migrator: MetadataMigrator) {}

  /** @throws {AppError} `too_many_requests` */
  async plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan> {
    await this.turns.enter().catch(() => {
      const detail = 'Too many assistants are being proved at once';
      throw new AppError('too_many_requests', detail, { retryAfter: TRY_AGAIN_SECONDS });
    });
    try {
      return await this.migrator.plan(subject, to);
    } finally {
      setImmediate(() => this.turns.leave());
    }
  }
}
