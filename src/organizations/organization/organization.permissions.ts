import { AppError, type Caller, isOrganizationAdmin, notFound, type Role } from '../../kernel';

const RANKS: Readonly<Record<Role, number>> = { member: 0, teacher: 1, admin: 2, owner: 3 };
const SYSTEM_ADMIN_RANK = 4;

export const rankOf = (role: Role): number => RANKS[role];

/** How high a caller stands; nobody touches members, or grants roles, above their own rank. */
export const callerRank = (caller: Caller): number =>
  caller.systemAdmin ? SYSTEM_ADMIN_RANK : isOrganizationAdmin(caller) ? RANKS[caller.role] : RANKS.member;

/** Another organization looks like a missing one to all but system administrators. */
export function assertSees(caller: Caller, organization: { readonly id: string } | null): void {
  if (organization === null || (organization.id !== caller.organizationId && !caller.systemAdmin)) {
    throw notFound('Organization');
  }
}

export function assertAdministers(caller: Caller): void {
  if (!isOrganizationAdmin(caller)) {
    throw new AppError('forbidden', 'Only administrators of the organization may do this');
  }
}

/** Whom something is done to, or who is made. A system administrator stands above every role of the system organization. */
interface Ranked {
  readonly role: Role;
  readonly systemAdmin?: boolean;
}

export function assertOutranks(caller: Caller, { role, systemAdmin = false }: Ranked): void {
  if (systemAdmin && !caller.systemAdmin) {
    throw new AppError('forbidden', 'Only system administrators may do this to a system administrator');
  }
  if (RANKS[role] > callerRank(caller)) {
    throw new AppError('forbidden', `Only an owner may do this to, or make, a member with the role ${role}`);
  }
}
