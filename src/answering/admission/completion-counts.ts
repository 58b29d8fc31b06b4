import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller, isTeacher, KeyedGates, tryEnterAll } from '../../kernel';
import { CONFIG, type Config } from '../../platform/config';

const RETRY_AFTER_SECONDS = 5;

/**
 * Limits the completions that a process answers at once. Nested completions need no permit, or they could deadlock with
 * the completions above them. Background runs have a queue instead.
 */
@Injectable()
export class CompletionCounts {
  private readonly persons: KeyedGates;
  private readonly organizations: KeyedGates;

  constructor(@Inject(CONFIG) { runs }: Config) {
    this.persons = new KeyedGates(runs.completions.person);
    this.organizations = new KeyedGates(runs.completions.organization);
  }

  /** Returns the function to call at the end of the completion. @throws `too_many_requests` */
  enter(caller: Caller): () => void {
    const { organizationId, userId, endUser } = caller;
    // A teacher's key without an end user may serve a whole course: only the organization's limit applies.
    const isOnePerson = endUser !== undefined || !isTeacher(caller);
    const person = [this.persons, `${organizationId}/${userId}/${endUser?.id ?? ''}`] as const;
    const leave = tryEnterAll([...(isOnePerson ? [person] : []), [this.organizations, organizationId]]);
    if (leave !== null) return leave;
    const detail = 'Too many completions are being answered; wait for one to end';
    throw new AppError('too_many_requests', detail, { retryAfter: RETRY_AFTER_SECONDS });
  }

  /** Open completions of an organization. */
  of(organizationId: string): number {
    return this.organizations.held(organizationId);
  }
}
