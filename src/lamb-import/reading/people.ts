import type { Role } from '../../kernel';
import { rankOf } from '../../organizations';
import type { LambOrganization, LambSource, LambUser } from '../source/lamb-source.types';
import { cleanLabel, isStorableText } from './storable';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const LONGEST_NAME = 200;

/** A person as a member of one organization. */
export interface PlannedMember {
  /** The source's user; the first of several that have one address. */
  readonly origin: number;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
}

export interface PersonNote {
  readonly origin: number;
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

export interface PlannedPeople {
  readonly members: readonly PlannedMember[];
  /** Addresses by the source's user, also of those who are one person with another. */
  readonly addresses: ReadonlyMap<number, string>;
  readonly notes: readonly PersonNote[];
  readonly leftOut: readonly PersonNote[];
}

export const addressOf = (email: string): string => email.trim().toLowerCase();

const noteOn = ({ id, email }: LambUser, code: string, message: string): PersonNote => ({
  origin: id,
  name: cleanLabel(email, LONGEST_NAME),
  code,
  message,
});

/** Administrators administer, creators create, whoever only ever asked goes on asking. */
function roleOf(user: LambUser, given: string | undefined): Role {
  if (given === 'owner' || given === 'admin') return given;
  return user.userType.includes('creator') ? 'teacher' : 'member';
}

function merged(one: PlannedMember, other: PlannedMember): PlannedMember {
  const role = rankOf(other.role) > rankOf(one.role) ? other.role : one.role;
  return { ...one, role, disabled: one.disabled && other.disabled };
}

/** Users of the organization, those with a role in it, and those of no organization who own something in it. */
function belongs(source: LambSource, organization: LambOrganization, owners: ReadonlySet<string>) {
  const roles = new Map(
    source.roles
      .filter(({ organizationId }) => organizationId === organization.id)
      .map((row) => [row.userId, row.role]),
  );
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const users = source.users.filter(
    (user) =>
      user.organizationId === organization.id ||
      roles.has(user.id) ||
      (user.organizationId === null && !placed.has(user.id) && owners.has(addressOf(user.email))),
  );
  return { users, roles };
}

function aboutUser(user: LambUser, organization: LambOrganization): PersonNote[] {
  const notes: PersonNote[] = [];
  if (user.isSystemAdmin) {
    notes.push(
      noteOn(user, 'user.system_admin', 'administered the whole installation; here only what their role allows'),
    );
  }
  if (user.organizationId === null && !organization.isSystem) {
    notes.push(noteOn(user, 'user.placed', 'was in no organization and owns something in this one'));
  }
  return notes;
}

/** Who becomes a member of the organization. `owners`: lower-case addresses that something in it belongs to. */
export function planPeople(
  source: LambSource,
  organization: LambOrganization,
  owners: ReadonlySet<string>,
): PlannedPeople {
  const { users, roles } = belongs(source, organization, owners);
  const members = new Map<string, PlannedMember>();
  const addresses = new Map<number, string>();
  const notes: PersonNote[] = [];
  const leftOut: PersonNote[] = [];
  for (const user of [...users].sort((a, b) => a.id - b.id)) {
    const email = addressOf(user.email);
    if (!ADDRESS.test(email) || !isStorableText(email)) {
      leftOut.push(noteOn(user, 'user.address', 'has no e-mail address that can be kept'));
      continue;
    }
    addresses.set(user.id, email);
    notes.push(...aboutUser(user, organization));
    const name = cleanLabel(user.name, LONGEST_NAME) || email;
    const member = { origin: user.id, email, name, role: roleOf(user, roles.get(user.id)), disabled: !user.enabled };
    const known = members.get(email);
    if (known !== undefined) notes.push(noteOn(user, 'user.merged', `is one person with user ${known.origin}`));
    members.set(email, known === undefined ? member : merged(known, member));
  }
  return { members: [...members.values()], addresses, notes, leftOut };
}

/** Who gets what belongs to nobody in the organization: its first owner, else its first administrator. */
export function standIn(members: readonly PlannedMember[]): PlannedMember | null {
  const able = members.filter(({ disabled }) => !disabled);
  return able.find(({ role }) => role === 'owner') ?? able.find(({ role }) => role === 'admin') ?? null;
}
