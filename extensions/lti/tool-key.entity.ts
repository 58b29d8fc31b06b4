import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { PublicJwk } from './key-pair';

/** A signing key of the whole service. */
@Entity('lti_keys')
export class ToolKeyEntity {
  @PrimaryColumn('text')
  kid!: string;

  @Column('jsonb', { name: 'public_jwk' })
  publicJwk!: PublicJwk;

  /** Sealed. */
  @Column('text', { name: 'private_jwk' })
  privateJwk!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
