import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Claims } from './issuer.types';

/**
 * A person at a provider. Issuer and subject are the identity (OpenID Connect Core 1.0 §5.7); an e-mail address is none.
 * Each authority links it by its own rules: an organization cannot lead a subject to an account of another one.
 */
@Entity('oidc_identities')
@Index('oidc_identities_organization_idx', ['organizationId', 'issuerKey', 'subject'])
@Index('oidc_identities_user_idx', ['userId'])
@Index('oidc_identities_external_idx', ['organizationId', 'externalId'])
export class IdentityEntity {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  /** The authority that linked the person: an organization's id, or `all:` and the key of an issuer that serves all. */
  @PrimaryColumn('text')
  authority!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** Organization of the last sign-in. */
  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text', { name: 'issuer_key' })
  issuerKey!: string;

  @Column('text', { nullable: true })
  email!: string | null;

  /** The directory's id of the person, from the claim that the rules name. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column('text', { array: true, default: [] })
  groups!: string[];

  /** Claims of the last sign-in, for administrators. */
  @Column('jsonb', { default: {} })
  claims!: Claims;

  /** When the provider issued them. Older tokens change nothing. */
  @Column('timestamptz', { name: 'claims_at', default: () => 'now()' })
  claimsAt!: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
