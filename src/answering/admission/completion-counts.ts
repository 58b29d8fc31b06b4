import { Inject, Injectable } from '@nestjs/common';
import { type Caller, isTeacher } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';
import { type Count, KeyedSemaphore } from './keyed-semaphore';

/**
 * Limits the completions that a process answers at once. Nested completions need no permit, or they could deadlock with
 * the completions above them. Background runs have a queue instead.
 */
@Injectable()
export class CompletionCounts {
  private readonly permits = new KeyedSemaphore('Too many completions are being answered; wait for one to end');
  private readonly limits: Config['runs']['completions'];

  constructor(@Inject(CONFIG) { runs }: Config) {
    this.limits = runs.completions;
  }

  /** Returns the function to call when the completion has ended. @throws `too_many_requests` */
  enter(caller: Caller): () => void {
    const { organizationId, userId, endUser } = caller;
    const person: Count = [`${organizationId}/${userId}/${endUser?.id ?? ''}`, this.limits.person];
    // A gateway may ask for a whole course with a teacher's key and name no end user.
    const isOnePerson = endUser !== undefined || !isTeacher(caller);
    return this.permits.acquire([...(isOnePerson ? [person] : []), [organizationId, this.limits.organization]]);
  }

  /** Completions of an organization that are being answered. */
  of(organizationId: string): number {
    return this.permits.of(organizationId);
  }
}
