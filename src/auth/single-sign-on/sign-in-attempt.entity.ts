import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A sign-in that a browser has begun. Finishing it deletes the row, so that it works once. */
@Entity('oidc_attempts')
@Index('oidc_attempts_expires_idx', ['expiresAt'])
@Index('oidc_attempts_address_idx', ['address', 'expiresAt'])
export class SignInAttemptEntity {
  /** SHA-256 of `state`. */
  @PrimaryColumn('text')
  hash!: string;

  /** SHA-256 of the cookie of the browser that began it. */
  @Column('text', { name: 'browser_hash' })
  browserHash!: string;

  /** Client IP address, for the limit of sign-ins that are under way. */
  @Column('text', { default: '' })
  address!: string;

  @Column('text', { name: 'issuer_key' })
  issuerKey!: string;

  @Column('text', { name: 'return_to' })
  returnTo!: string;

  /** An administrator's test, which opens no session. */
  @Column('boolean', { default: false })
  trial!: boolean;

  /** Member whom the account at the provider is linked to; null for an ordinary sign-in. */
  @Column('uuid', { name: 'link_organization_id', nullable: true })
  linkOrganizationId!: string | null;

  @Column('uuid', { name: 'link_user_id', nullable: true })
  linkUserId!: string | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
