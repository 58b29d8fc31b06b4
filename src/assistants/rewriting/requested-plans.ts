import { Injectable } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import type { MetadataVersion, RewritePlan } from '../../definition';
import { AppError } from '../../kernel';
import { AssistantRewrites } from './assistant-rewrites';
import type { RewriteSubject } from './rewriting.types';

const MOST_PENDING = 32;
const TRY_AGAIN_SECONDS = 5;

/** Plans for requests. A proof is computation, so one runs at a time and yields to the event loop in between. */
@Injectable()
export class RequestedPlans {
  private pending = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly rewrites: AssistantRewrites) {}

  /** @throws {AppError} `too_many_requests` */
  async plan(subject: RewriteSubject, to: MetadataVersion): Promise<RewritePlan> {
    if (this.pending >= MOST_PENDING)
      throw new AppError('too_many_requests', 'Too many assistants are being proved at once', {
        retryAfter: TRY_AGAIN_SECONDS,
      });
    this.pending += 1;
    const plan = this.last.then(() => this.rewrites.plan(subject, to));
    const next = (): Promise<void> => turn();
    this.last = plan.then(next, next);
    try {
      return await plan;
    } finally {
      this.pending -= 1;
    }
  }
}
