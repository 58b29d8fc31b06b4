import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Caller, isTeacher, KeyedGates } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { Admission, type LeavePlace } from '../../infrastructure/admission';
import { CONFIG, type Config } from '../../infrastructure/config';

const RETRY_AFTER_SECONDS = 5;
const NO_PLACE: LeavePlace = () => undefined;

/**
 * The places of a process for completions. Nested completions need none, or they could deadlock with the completions
 * above them. Background runs have a queue instead.
 */
@Injectable()
export class CompletionPlaces {
  private readonly persons: KeyedGates;

  constructor(
    @Inject(CONFIG) { runs }: Config,
    private readonly admission: Admission,
    private readonly organizations: OrganizationsService,
  ) {
    this.persons = new KeyedGates(runs.completions.person);
  }

  /**
   * Returns the function to call at the end of the completion; a promise only if the completion has to wait. `gone` makes
   * the signal that is aborted when the client leaves; null when the request took its place before its body was read.
   * @throws `too_many_requests`, `overloaded`, `cancelled`
   */
  enter(caller: Caller, gone: (() => AbortSignal) | null): LeavePlace | Promise<LeavePlace> {
    const leavePerson = this.enterAsPerson(caller);
    if (gone === null) return both(leavePerson, NO_PLACE);
    const leave = this.admission.tryEnter(caller.organizationId);
    return leave === null ? this.wait(caller, leavePerson, gone) : both(leavePerson, leave);
  }

  private async wait(
    { organizationId }: Caller,
    leavePerson: LeavePlace | null,
    gone: () => AbortSignal,
  ): Promise<LeavePlace> {
    try {
      const weight = await this.organizations.weight(organizationId);
      return both(leavePerson, await this.admission.enter({ organizationId, weight, gone: gone() }));
    } catch (error) {
      leavePerson?.();
      throw error;
    }
  }

  /** Null when no limit per person applies: a teacher's key without an end user may serve a whole course. */
  private enterAsPerson(caller: Caller): LeavePlace | null {
    const { organizationId, userId, endUser } = caller;
    if (endUser === undefined && isTeacher(caller)) return null;
    const person = `${organizationId}/${userId}/${endUser?.id ?? ''}`;
    if (this.persons.tryEnter(person)) return () => this.persons.leave(person);
    const detail = 'Too many completions are being answered; wait for one to end';
    throw new AppError('too_many_requests', detail, { retryAfter: RETRY_AFTER_SECONDS });
  }
}

function both(leavePerson: LeavePlace | null, leave: LeavePlace): LeavePlace {
  if (leavePerson === null) return leave;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    leavePerson();
    leave();
  };
}
