/** Issuer of the platform that holds LTI 1.1 of an organization. No ID token has it: it is no address. */
export const BRIDGE_ISSUER = 'urn:bellwether:lti-1.1';

export const INSTRUCTOR_ROLES = ['member', 'teacher'] as const;
/** Role of instructors who come for the first time. */
export type InstructorRole = (typeof INSTRUCTOR_ROLES)[number];

export const MATCHES = ['none', 'verified_email', 'claim'] as const;

/** How a person of a platform is found among the members of its organization. */
export type PersonMatch =
  | { readonly by: 'none' | 'verified_email' }
  /** Value of the claim is the id of the person in the institution's directory or at its OpenID provider. */
  | { readonly by: 'claim'; readonly claim: string };
