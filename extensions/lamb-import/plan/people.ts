import { isStorableText, type Role } from '../../../src/kernel';
import { rankOf } from '../../../src/organizations';
import { cleanLabel } from '../convert/clean-label';
import type { ItemRef } from '../report/report-builder';
import type { LambSource, LambUser } from '../source/lamb-source.types';
import type { ImportContext } from './import-context.types';

const ADDRESS = /^[^\s@]{1,64}@[^\s@]{1,189}$/;

/** One person in the organization, by e-mail address. */
export interface Person {
  /** The first of the source's users with this address. */
  readonly origin: number;
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly disabled: boolean;
}

export interface People {
  readonly all: readonly Person[];
  /** Addresses by the source's user id, duplicates included. */
  readonly addresses: ReadonlyMap<number, string>;
}

export const addressOf = (email: string): string => email.trim().toLowerCase();

const refTo = ({ id, email }: LambUser): ItemRef => ({ kind: 'user', origin: id, name: cleanLabel(email) });

/** LAMB's creators become teachers, its end users members. */
function roleOf(user: LambUser, given: string | undefined): Role {
  if (given === 'owner' || given === 'admin') return given;
  return user.userType.includes('creator') ? 'teacher' : 'member';
}

function merged(one: Person, other: Person): Person {
  const role = rankOf(other.role) > rankOf(one.role) ? other.role : one.role;
  return { ...one, role, disabled: one.disabled && other.disabled };
}

/** Users of the organization, users with a role in it, and users of no organization who own something in it. */
function usersOf({ source, organization }: ImportContext, owners: ReadonlySet<string>) {
  const own = source.roles.filter(({ organizationId }) => organizationId === organization.id);
  const roles = new Map(own.map((row) => [row.userId, row.role]));
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const users = source.users.filter(
    (user) =>
      user.organizationId === organization.id ||
      roles.has(user.id) ||
      (user.organizationId === null && !placed.has(user.id) && owners.has(addressOf(user.email))),
  );
  return { users: users.sort((a, b) => a.id - b.id), roles };
}

function noteRights(user: LambUser, { organization, report }: ImportContext): void {
  if (user.isSystemAdmin) {
    report.note(refTo(user), 'user.system_admin', 'administered all of LAMB; here they have the rights of their role');
  }
  if (user.organizationId === null && !organization.isSystem) {
    report.note(refTo(user), 'user.placed', 'was in no organization, and became a member because they own items here');
  }
}

function idsByAddress({ users }: LambSource): ReadonlyMap<string, readonly number[]> {
  const ids = new Map<string, number[]>();
  for (const { id, email } of users) ids.set(addressOf(email), [...(ids.get(addressOf(email)) ?? []), id]);
  return ids;
}

/** The organization's people. `owners`: lower-case addresses that own something in it. */
export function peopleOf(context: ImportContext, owners: ReadonlySet<string>): People {
  const { report } = context;
  const { users, roles } = usersOf(context, owners);
  const people = new Map<string, Person>();
  const own = new Set(users.map(({ id }) => id));
  const twins = idsByAddress(context.source);
  const addresses = new Map<number, string>();
  for (const user of users) {
    const email = addressOf(user.email);
    if (!ADDRESS.test(email) || !isStorableText(email)) {
      report.leaveOut(refTo(user), 'user.address', 'has no valid e-mail address');
      continue;
    }
    addresses.set(user.id, email);
    noteRights(user, context);
    const name = cleanLabel(user.name) || email;
    const person = { origin: user.id, email, name, role: roleOf(user, roles.get(user.id)), disabled: !user.enabled };
    const known = people.get(email);
    // LAMB tells upper and lower case apart.
    const other = known?.origin ?? twins.get(email)?.find((id) => id !== user.id && !own.has(id));
    if (other !== undefined) {
      report.note(refTo(user), 'user.merged', `has the e-mail address of user ${other}; they are one person here`);
    }
    people.set(email, known === undefined ? person : merged(known, person));
  }
  const askers = [...people.values()].filter(({ role }) => role === 'member').length;
  if (askers > 0) {
    const message = `its end users (${askers}) see published assistants and those shared with them; teachers see all`;
    report.note(report.organization, 'members.published_only', message);
  }
  return { all: [...people.values()], addresses };
}

/** Users of no organization who own nothing: no import takes them over. */
export function usersWithoutOrganization(source: LambSource): LambUser[] {
  const placed = new Set(source.roles.map(({ userId }) => userId));
  const owned = [...source.assistants, ...source.rubrics, ...source.promptTemplates];
  const owners = new Set(owned.map(({ ownerEmail }) => addressOf(ownerEmail)));
  for (const { ownerUserId } of source.collections) placed.add(ownerUserId);
  return source.users.filter(
    ({ id, organizationId, email }) => organizationId === null && !placed.has(id) && !owners.has(addressOf(email)),
  );
}
