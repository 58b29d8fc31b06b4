import type { LambUser } from '@bellwether/lamb-reader';
import type { ItemRef } from '../report-builder';
import type { ImportContext } from './plan.types';
import { addressOf, type People, type Person } from './plan-organization';

export class Owners {
  private readonly byAddress: ReadonlyMap<string, Person>;
  /** Gets items whose owner is no member: the first enabled owner, else the first administrator. */
  private readonly substitute: Person | null;
  /** Gets the items of disabled people, by the operator's choice. */
  private readonly heir: Person | null;
  private readonly chosenHeir: string | null;

  constructor(
    { all }: People,
    /** Our user ids by the source's. */
    private readonly ids: ReadonlyMap<number, string>,
    private readonly context: ImportContext,
  ) {
    this.byAddress = new Map(all.map((person) => [person.email, person]));
    const enabled = all.filter(({ disabled }) => !disabled);
    const first = (role: Person['role']) => enabled.find((person) => person.role === role);
    this.substitute = first('owner') ?? first('admin') ?? null;
    this.chosenHeir = context.options.choices.disabledOwnersTo;
    this.heir = enabled.find(({ email }) => email === this.chosenHeir) ?? null;
  }

  /** The owner's id here; null, with a note, when there is no possible owner. */
  of(email: string, item: ItemRef): string | null {
    const { report } = this.context;
    const own = this.byAddress.get(addressOf(email));
    if (own !== undefined) return this.idOf(own.disabled ? this.ofDisabled(own, item) : own);
    const formerly = this.formerOwner(email);
    if (this.substitute === null) {
      report.leaveOut(item, 'owner.missing', `${formerly}, and the organization has no owner or administrator`);
      return null;
    }
    report.note(item, 'owner.replaced', `${formerly}; it belongs to ${this.substitute.email} now`);
    return this.idOf(this.substitute);
  }

  ofUser(id: number, item: ItemRef): string | null {
    return this.of(this.user(id)?.email ?? '', item);
  }

  /** Our id of a user of the source; null unless they are a member. */
  member(id: number): string | null {
    const user = this.user(id);
    return user === undefined ? null : this.memberByAddress(user.email);
  }

  memberByAddress(email: string): string | null {
    const member = this.byAddress.get(addressOf(email));
    return member === undefined ? null : this.idOf(member);
  }

  private ofDisabled(own: Person, item: ItemRef): Person {
    const { heir, chosenHeir } = this;
    const { report } = this.context;
    if (heir !== null) {
      report.note(item, 'owner.disabled_replaced', `${own.email} is disabled; it belongs to ${heir.email} now`);
      return heir;
    }
    if (item.kind === 'assistant') {
      const hint =
        chosenHeir === null
          ? 'enable the account, or import with --disabled-owners-to <address>'
          : `${chosenHeir} is no enabled member of this organization and cannot get it`;
      report.note(item, 'owner.disabled', `its owner ${own.email} is disabled, so it does not answer; ${hint}`);
    }
    return own;
  }

  private formerOwner(email: string): string {
    const address = addressOf(email);
    const isListed = this.context.source.users.some((user) => addressOf(user.email) === address);
    if (!isListed) return 'belonged to a user whom the source does not list';
    return `belonged to ${address}, who is in another organization of the source`;
  }

  private user(id: number): LambUser | undefined {
    return this.context.source.users.find((user) => user.id === id);
  }

  private idOf({ origin }: Person): string | null {
    return this.ids.get(origin) ?? null;
  }
}
