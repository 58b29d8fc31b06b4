import { addressOf, type PlannedMember, standIn } from '../reading/people';
import type { LambUser } from '../source/lamb-source.types';
import type { About, Tally } from './tally';

/** Who here owns what belonged to whom there. */
export class Owners {
  private readonly byAddress: ReadonlyMap<string, PlannedMember>;
  private readonly substitute: PlannedMember | null;

  constructor(
    members: readonly PlannedMember[],
    private readonly users: readonly LambUser[],
    /** Our ids by the source's. */
    private readonly ids: ReadonlyMap<number, string>,
  ) {
    this.byAddress = new Map(members.map((member) => [member.email, member]));
    this.substitute = standIn(members);
  }

  /** The owner's id; null, and told, when nobody can own it. */
  of(email: string, about: About, tally: Tally): string | null {
    const own = this.byAddress.get(addressOf(email));
    if (own !== undefined) {
      if (own.disabled && about.kind === 'assistant') {
        tally.note(about, 'owner.disabled', 'belongs to somebody who is disabled; it does not run until they are not');
      }
      return this.ids.get(own.origin) ?? null;
    }
    const { substitute } = this;
    if (substitute === null) {
      tally.leave(about, 'owner.missing', 'belongs to nobody in the organization, which has no administrator either');
      return null;
    }
    tally.note(about, 'owner.replaced', `belonged to nobody in the organization; it is ${substitute.email}'s now`);
    return this.ids.get(substitute.origin) ?? null;
  }

  ofUser(id: number, about: About, tally: Tally): string | null {
    return this.of(this.users.find((user) => user.id === id)?.email ?? '', about, tally);
  }

  /** Our id of a user of the source who is a member; null for anybody else. */
  member(id: number): string | null {
    const email = this.users.find((user) => user.id === id)?.email;
    const member = email === undefined ? undefined : this.byAddress.get(addressOf(email));
    return member === undefined ? null : (this.ids.get(member.origin) ?? null);
  }
}
