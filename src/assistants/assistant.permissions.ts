import { type Caller, isOrganizationAdmin } from '../kernel';
import type { AccessLevel } from './assistant.types';

interface Target {
  readonly id: number;
  readonly organizationId: string;
  readonly ownerId: string;
  readonly published: boolean;
}

/** What of a caller decides. */
export type Reaching = Omit<Caller, 'kind' | 'credentialId' | 'organizationSlug'>;

/** What opens an assistant to others than its owner and administrators, beside its publication. */
export interface Grants {
  /** To the caller. */
  readonly share: 'edit' | 'use' | undefined;
  /** Its organization's feature of that name. */
  readonly members_can_use_all: boolean;
}

/**
 * By what right a caller reaches an assistant, or null for "does not exist".
 * The organization decides before anything else, and a credential bound to other assistants sees nothing here.
 */
export function accessLevel(caller: Reaching, target: Target, grants: Grants): AccessLevel | null {
  if (caller.organizationId !== target.organizationId) return null;
  if (caller.assistantIds !== null && !caller.assistantIds.includes(target.id)) return null;
  if (caller.userId === target.ownerId) return 'owner';
  if (isOrganizationAdmin(caller)) return 'edit';
  return grants.share ?? (target.published || grants.members_can_use_all ? 'use' : null);
}

/** Prompts, metadata, reports and diagnostics are for those who may edit. */
export const mayConfigure = (access: AccessLevel): boolean => access !== 'use';

/** Shares, publication and deletion belong to the owner and to the organization's administrators. */
export const mayAdminister = (caller: Caller, access: AccessLevel): boolean =>
  access === 'owner' || isOrganizationAdmin(caller);
