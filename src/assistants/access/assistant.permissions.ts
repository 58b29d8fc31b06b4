import { type Caller, isOrganizationAdmin, isTeacher } from '@bellwether/kernel';
import type { AccessLevel, Disclosure } from './assistant.types';

interface Target {
  readonly id: number;
  readonly organizationId: string;
  readonly ownerId: string;
  readonly published: boolean;
}

/** The members of a caller that decide about access. */
export type AccessFacts = Omit<Caller, 'kind' | 'credentialId' | 'organizationSlug'>;

type DisclosureFacts = Pick<Caller, 'scopes' | 'role' | 'systemAdmin' | 'mayNameEndUser' | 'endUser'>;

/** The grants, beside publication, that open an assistant to people other than its owner and administrators. */
export interface Grants {
  /** To the caller. */
  readonly share: 'edit' | 'use' | undefined;
  /** The feature of the organization: teachers and above may use every assistant, drafts included. */
  readonly membersUseAll: boolean;
}

/**
 * The right by which a caller reaches an assistant; null means "does not exist". The organization decides first. A
 * credential bound to other assistants, or to published ones, sees nothing here.
 */
export function accessLevel(caller: AccessFacts, target: Target, grants: Grants): AccessLevel | null {
  if (caller.organizationId !== target.organizationId) return null;
  if (caller.assistantIds !== null && !caller.assistantIds.includes(target.id)) return null;
  if (caller.publishedOnly === true) return target.published ? 'use' : null;
  if (caller.userId === target.ownerId) return 'owner';
  if (isOrganizationAdmin(caller)) return 'edit';
  return grants.share ?? (target.published || (grants.membersUseAll && usesEverything(caller)) ? 'use' : null);
}

/** Callers to whom `members_can_use_all` applies. A caller who may name an end user also asks for students. */
export const usesEverything = (caller: Pick<Caller, 'role' | 'systemAdmin' | 'mayNameEndUser'>): boolean =>
  isTeacher(caller) && caller.mayNameEndUser === undefined;

/**
 * The one rule for prompts and reports, in every API. A caller who may name an end user passes answers on to people
 * who edit nothing. An administrator sees how an assistant is made, and only previews of private content. `ownAccess`
 * is the access without the rights of an administrator.
 */
export function disclosureTo(caller: DisclosureFacts, ownAccess: AccessLevel | null): Disclosure {
  if (caller.mayNameEndUser !== undefined || caller.endUser !== undefined) return 'none';
  if (!caller.scopes.includes('read')) return 'none';
  if (ownAccess === 'owner' || ownAccess === 'edit') return 'whole';
  return isOrganizationAdmin(caller) ? 'previews' : 'none';
}

export const withoutAdminRights = <C extends Pick<Caller, 'scopes'>>(caller: C): C => ({
  ...caller,
  scopes: caller.scopes.filter((scope) => scope !== 'admin'),
});

export const mayConfigure = (access: AccessLevel): boolean => access !== 'use';

export const mayAdminister = (caller: Caller, access: AccessLevel): boolean =>
  access === 'owner' || isOrganizationAdmin(caller);
