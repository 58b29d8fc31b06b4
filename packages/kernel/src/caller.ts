import { AppError } from './errors';

export const SCOPES = ['chat', 'read', 'write', 'admin', 'act_as'] as const;
/** `scim` is the scope of a directory's token. No other credential can have it. */
export type Scope = (typeof SCOPES)[number] | 'scim';

export const ROLES = ['owner', 'admin', 'teacher', 'member'] as const;
/** Role inside one organization. */
export type Role = (typeof ROLES)[number];

/** Owner whose rights apply to content: tools read knowledge bases, rubrics and files as the owner of the assistant. */
export interface Principal {
  readonly organizationId: string;
  readonly userId: string;
}

/** Sources of the end user; the first one present counts. */
export const END_USER_SOURCES = [
  'x-openwebui-user-email',
  'x-openwebui-user-id',
  'metadata.user_id',
  'metadata.lti_user_id',
  'metadata.lis_person_sourcedid',
  'metadata.email',
] as const;
export type EndUserSource = (typeof END_USER_SOURCES)[number];

/** End user of a request, named by a trusted caller. The meaning of `id` depends on `source`. */
export interface EndUser {
  readonly source: EndUserSource;
  readonly id: string;
  /** Further names of the same person in the request, for a system that does not know the first one. */
  readonly others?: readonly EndUserName[];
}
export type EndUserName = Pick<EndUser, 'source' | 'id'>;

/** Origin of a request, for the audit. */
export interface RequestOrigin {
  readonly requestId: string | null;
  readonly ip: string | null;
}

/** The principal of a request, whatever its credential. Scopes narrow the role and never widen it. */
export interface Caller extends Principal {
  readonly kind: 'api_key' | 'session' | 'token' | 'scim' | 'system';
  /** Id of the API key or session; null for the system itself. */
  readonly credentialId: string | null;
  readonly organizationSlug: string;
  readonly role: Role;
  readonly systemAdmin: boolean;
  readonly scopes: readonly Scope[];
  /** Set: the credential may use these assistants only. */
  readonly assistantIds: readonly number[] | null;
  /** Set: the session of a launch from a course. Ids of the activities that it came from, the newest first. */
  readonly activityIds?: readonly string[];
  /** Set: the credential may use published assistants only, and edits none. */
  readonly publishedOnly?: true;
  /**
   * Set when the request may name its end user. `anywhere`: a key with `act_as`. `in_headers`: a listed proxy, since
   * the body is written by the end user.
   */
  readonly mayNameEndUser?: 'anywhere' | 'in_headers';
  /**
   * Set when a completion request named its end user. Without it the caller is the end user. If the request may name
   * one and did not, the end user is unknown.
   */
  readonly endUser?: EndUser;
  /** Absent without a request, as in a background run. */
  readonly origin?: RequestOrigin;
}

/** The assistants within the reach of a credential, as one condition for everything that belongs to assistants. */
export interface Reach {
  /** Null: all. */
  readonly assistantIds: readonly number[] | null;
  /** Only assistants that are published now; drafts are excluded. */
  readonly publishedOnly: boolean;
}

/** A course keeps its people's work in reach when an assistant is taken back. */
export const reachOf = ({ assistantIds, publishedOnly, activityIds }: Caller): Reach => ({
  assistantIds,
  publishedOnly: publishedOnly === true && activityIds === undefined,
});

/** Guards data about a person or a whole organization against restricted keys. @throws {AppError} `forbidden` */
export function assertUnrestricted(caller: Caller): void {
  const { assistantIds, publishedOnly } = reachOf(caller);
  if (assistantIds === null && !publishedOnly) return;
  throw new AppError(
    'forbidden',
    'This key is restricted to some assistants and cannot do this; use a key without assistant_ids and published_only',
    { reason: 'key.restricted' },
  );
}

/**
 * Guards what a person has and does against the key of a program. The session of a launch is restricted and is its
 * person's. @throws {AppError} `forbidden`
 */
export function assertActsForPerson(caller: Caller): void {
  if (caller.activityIds === undefined) assertUnrestricted(caller);
}

export const isOrganizationAdmin = (caller: Pick<Caller, 'scopes' | 'systemAdmin' | 'role'>): boolean =>
  caller.scopes.includes('admin') && (caller.systemAdmin || caller.role === 'owner' || caller.role === 'admin');

export const isTeacher = (caller: Pick<Caller, 'systemAdmin' | 'role'>): boolean =>
  caller.systemAdmin || caller.role !== 'member';
