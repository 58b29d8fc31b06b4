import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Parameters with which a platform begins a launch, kept so that it can be repeated in a new window. */
export interface LoginParameters {
  readonly loginHint: string;
  readonly messageHint: string | null;
  readonly deploymentId: string | null;
  /** Path of this service to which the platform sends the token. */
  readonly path: string;
  /** SHA-256 of the secret that the platform's storage keeps; null without its offer. */
  readonly storageHash: string | null;
}

/** A launch that a browser has begun. Finishing it deletes the row, so that it works once. */
@Entity('lti_attempts')
@Index('lti_attempts_expires_idx', ['expiresAt'])
@Index('lti_attempts_address_idx', ['address', 'expiresAt'])
export class LaunchAttemptEntity {
  /** SHA-256 of `state`. */
  @PrimaryColumn('text')
  hash!: string;

  /** SHA-256 of the secret that the browser keeps in a cookie, or the platform's storage keeps for it. */
  @Column('text', { name: 'browser_hash' })
  browserHash!: string;

  /** SHA-256 of `nonce`. */
  @Column('text', { name: 'nonce_hash' })
  nonceHash!: string;

  @Column('uuid', { name: 'platform_id' })
  platformId!: string;

  /** Client IP address, for the limit of launches that are under way. */
  @Column('text')
  address!: string;

  /** Name of the frame that keeps the secret (LTI Platform Storage 0.1); null without the platform's offer. */
  @Column('text', { name: 'storage_target', nullable: true })
  storageTarget!: string | null;

  @Column('jsonb')
  login!: LoginParameters;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
