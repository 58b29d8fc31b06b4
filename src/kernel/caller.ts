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

/** Where the end user of a request may be named, the first that is there counts (spec 004 §4). */
export const END_USER_SOURCES = [
  'x-openwebui-user-email',
  'x-openwebui-user-id',
  'metadata.user_id',
  'metadata.lti_user_id',
  'metadata.lis_person_sourcedid',
  'metadata.email',
] as const;
export type EndUserSource = (typeof END_USER_SOURCES)[number];

/** Whom a request is made for, as somebody said who may say so. What `id` means depends on where it stood. */
export interface EndUser {
  readonly source: EndUserSource;
  readonly id: string;
}

/** Where a request came from. */
export interface RequestOrigin {
  readonly requestId: string | null;
  readonly ip: string | null;
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
  /**
   * Set where the request may name its end user: anywhere with a key that has `act_as`; in the headers alone where a listed
   * proxy with the secret sent it, for then the body is the end user's own.
   */
  readonly mayNameEndUser?: 'anywhere' | 'in_headers';
  /**
   * Set on the completion doors when the request named one. Without it the caller is the end user, unless the request might
   * have named one: then nobody knows who asks.
   */
  readonly endUser?: EndUser;
  /** Of the request, for the audit; absent where there is none, as in a background run. */
  readonly origin?: RequestOrigin;
}

export const isOrganizationAdmin = (caller: Pick<Caller, 'scopes' | 'systemAdmin' | 'role'>): boolean =>
  caller.scopes.includes('admin') && (caller.systemAdmin || caller.role === 'owner' || caller.role === 'admin');

export const isTeacher = (caller: Pick<Caller, 'systemAdmin' | 'role'>): boolean =>
  caller.systemAdmin || caller.role !== 'member';
