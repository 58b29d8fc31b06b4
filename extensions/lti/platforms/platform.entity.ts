import { Check, Column, Entity, Index, Unique } from 'typeorm';
import { VersionedEntity } from '../../../src/infrastructure/database';

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

/** A learning platform whose launches lead to one organization. */
@Entity('lti_platforms')
@Unique('lti_platforms_client_uq', ['organizationId', 'issuer', 'clientId'])
@Index('lti_platforms_issuer_idx', ['issuer', 'clientId'])
@Index('lti_platforms_organization_idx', ['organizationId'])
@Check('lti_platforms_instructor_role_ck', `"instructor_role" IN ('member', 'teacher')`)
export class PlatformEntity extends VersionedEntity {
  @Column('text')
  name!: string;

  @Column('text')
  issuer!: string;

  @Column('text', { name: 'client_id' })
  clientId!: string;

  @Column('text', { name: 'authorization_endpoint' })
  authorizationEndpoint!: string;

  @Column('text', { name: 'token_endpoint' })
  tokenEndpoint!: string;

  /** `aud` of our client assertions; null for the token endpoint. */
  @Column('text', { name: 'token_audience', nullable: true })
  tokenAudience!: string | null;

  @Column('text', { name: 'jwks_uri' })
  jwksUri!: string;

  @Column('text', { name: 'deployment_ids', array: true, default: [] })
  deploymentIds!: string[];

  @Column('text', { name: 'instructor_role', default: 'member' })
  instructorRole!: InstructorRole;

  @Column('jsonb', { default: { by: 'none' } })
  match!: PersonMatch;

  /** False: no launch is accepted until an administrator confirms the platform. */
  @Column('boolean', { default: true })
  active!: boolean;

  /** True when it registered itself, and no administrator has accepted it yet. */
  @Column('boolean', { name: 'awaits_approval', default: false })
  awaitsApproval!: boolean;

  /** Time of the first verified launch; null before it. */
  @Column('timestamptz', { name: 'proven_at', nullable: true })
  provenAt!: Date | null;
}
