import { AppError, type Caller, isOrganizationAdmin, notFound, type Role } from '@bellwether/kernel';

const RANKS: Readonly<Record<Role, number>> = { member: 0, teacher: 1, admin: 2, owner: 3 };
const SYSTEM_ADMIN_RANK = 4;

export const rankOf = (role: Role): number => RANKS[role];

/** Rank of a caller. Members and roles above it are out of reach. */
export const callerRank = (caller: Caller): number =>
  caller.systemAdmin ? SYSTEM_ADMIN_RANK : isOrganizationAdmin(caller) ? RANKS[caller.role] : RANKS.member;

/** Other organizations look missing, except to system administrators. */
export function assertSees(caller: Caller, organization: { readonly id: string } | null): void {
  if (organization === null || (organization.id !== caller.organizationId && !caller.systemAdmin)) {
    throw notFound('Organization');
  }
}

export function assertAdministers(caller: Caller): void {
  if (!isOrganizationAdmin(caller)) {
    throw new AppError('forbidden', 'Only administrators of the organization may do this', { reason: 'role.admin' });
  }
}

/** Person who is changed or made. A system administrator outranks every role. */
interface Ranked {
  readonly role: Role;
  readonly systemAdmin?: boolean;
}

export function assertOutranks(caller: Caller, { role, systemAdmin = false }: Ranked): void {
  if (systemAdmin && !caller.systemAdmin) {
    throw new AppError('forbidden', 'Only system administrators may change a system administrator', {
      reason: 'role.system_admin',
    });
  }
  if (RANKS[role] > callerRank(caller)) {
    throw new AppError('forbidden', `Only an owner may make or change a member with the role ${role}`, {
      reason: 'role.owner',
    });
  }
}
