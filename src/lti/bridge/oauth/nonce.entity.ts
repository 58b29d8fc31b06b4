import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A nonce that a consumer has used. */
@Entity('lti_nonces')
@Index('lti_nonces_expires_idx', ['expiresAt'])
export class NonceEntity {
  /** SHA-256 of consumer key and nonce. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'lti_nonces_pk' })
  hash!: string;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
