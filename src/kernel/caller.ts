export const SCOPES = ['chat', 'read', 'write', 'admin', 'act_as'] as const;
export type Scope = (typeof SCOPES)[number];

export const ROLES = ['owner', 'admin', 'teacher', 'member'] as const;
/** Role inside one organization. */
export type Role = (typeof ROLES)[number];

/** Whose rights content is read with: tools reach knowledge bases, rubrics and files as the assistant's owner. */
export interface Principal {
  readonly organizationId: string;
  readonly userId: string;
}

/** Who is calling, resolved once by the guard whatever the credential was. Scopes narrow the role and never widen it. */
export interface Caller extends Principal {
  readonly kind: 'api_key' | 'session' | 'token' | 'system';
  /** Id of the API key or session; null for the system itself. */
  readonly credentialId: string | null;
  readonly organizationSlug: string;
  readonly role: Role;
  readonly systemAdmin: boolean;
  readonly scopes: readonly Scope[];
  /** When set, the credential may use these assistants only. */
  readonly assistantIds: readonly number[] | null;
}

export const isOrganizationAdmin = (caller: Pick<Caller, 'scopes' | 'systemAdmin' | 'role'>): boolean =>
  caller.scopes.includes('admin') && (caller.systemAdmin || caller.role === 'owner' || caller.role === 'admin');

export const isTeacher = (caller: Caller): boolean => caller.systemAdmin || caller.role !== 'member';
