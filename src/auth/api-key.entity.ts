import type { Scope } from '@bellwether/kernel';
import { Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../infrastructure/database';

@Entity('api_keys')
@Unique('api_keys_public_id_key', ['publicId'])
@Unique('api_keys_hash_key', ['hash'])
@Index('api_keys_member_idx', ['organizationId', 'userId'])
export class ApiKeyEntity extends DatedEntity {
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text')
  name!: string;

  /** Readable part of a key made here; null for a key that the operator chose. */
  @Column('text', { name: 'public_id', nullable: true })
  publicId!: string | null;

  /** SHA-256 of the whole key, hexadecimal. */
  @Column('text')
  hash!: string;

  @Column('text', { array: true })
  scopes!: Scope[];

  @Column('integer', { name: 'assistant_ids', array: true, nullable: true })
  assistantIds!: number[] | null;

  /** Published assistants only; those of the owner, too. */
  @Column('boolean', { name: 'published_only', default: false })
  publishedOnly!: boolean;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Kept after revocation: the same key given again at a start stays revoked. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
