/** The readers of an assistant beside its owner and its shares. */
export const PUBLICATIONS = ['none', 'organization', 'public'] as const;
export type Publication = (typeof PUBLICATIONS)[number];

export interface OrganizationFacts {
  readonly id: string;
  readonly suspended: boolean;
  /** Its assistants may be called from other organizations. */
  readonly exports: boolean;
  /** Its assistants may call assistants of other organizations. */
  readonly imports: boolean;
}

/** The assistant that calls: O, owned by Ao, of the organization Go. */
export interface CallingFacts {
  /** null while it is not stored yet. */
  readonly id: number | null;
  readonly ownerId: string;
  /** Ao is a member of Go who is not disabled. */
  readonly ownerActive: boolean;
  /** O is neither deleted nor switched off. */
  readonly live: boolean;
  readonly organization: OrganizationFacts;
}

/** The assistant that is called: T, owned by At, of the organization Gt. */
export interface TargetFacts {
  readonly id: number;
  readonly ownerId: string;
  /** At is a member of Gt who is not disabled. */
  readonly ownerActive: boolean;
  readonly deleted: boolean;
  /** Switched off by its owner or an administrator. */
  readonly disabled: boolean;
  readonly publication: Publication;
  /** Shared with Ao, by name or through a group. */
  readonly sharedWithOwner: boolean;
  /** True with a function, or a pipeline tool that calls an assistant. */
  readonly toolUsing: boolean;
  readonly organization: OrganizationFacts;
}

/** The facts of one decision, read afresh for every call. The rights of P on T never count. */
export interface CallFacts {
  /** P may run O. */
  readonly callerMayRun: boolean;
  readonly calling: CallingFacts;
  /** null for an unknown id. */
  readonly target: TargetFacts | null;
  /** Nesting depth: 0 for a run that a client asked for. */
  readonly depth: number;
  /** The quota of T's organization is spent. */
  readonly quotaSpent: boolean;
}

/** Rows of the table in docs/reference/access-rules.md that allow a call. */
export const GRANTS = ['A1', 'A2', 'A4', 'D3', 'D5'] as const;
export type Grant = (typeof GRANTS)[number];

/**
 * Rows of the same table that refuse a call. Rows that look the same in fresh data share one name: A3, A5 and A7 are
 * A6; B3 and B6 are B1.
 */
export const REFUSALS = {
  R1: 'the caller may not run the calling assistant',
  C3: 'the calling assistant is not available',
  T0: 'there is no such assistant',
  C1: 'the assistant is deleted or switched off',
  B5: 'a run inside a run calls nobody',
  B4: 'an assistant cannot call itself',
  B1: 'an assistant that calls functions cannot be one',
  C2: 'the owner of the assistant is disabled or has left',
  C4: 'an organization is suspended',
  D1: 'owned by the same person in another organization',
  D2: 'published in another organization only',
  D4: 'one of the organizations does not allow calls between organizations',
  A6: 'neither owned by, shared with nor published to the owner of the calling assistant',
  E4: 'the quota is spent',
} as const;
export type Refusal = keyof typeof REFUSALS;

export type CallDecision =
  { readonly allowed: true; readonly row: Grant } | { readonly allowed: false; readonly row: Refusal };
