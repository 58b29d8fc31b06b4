import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Role, Scope } from '../../kernel';

@Entity('sessions')
@Unique('sessions_hash_key', ['hash'])
@Index('sessions_member_idx', ['organizationId', 'userId'])
@Index('sessions_expires_idx', ['expiresAt'])
export class SessionEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'sessions_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** The key that it came from, with whose end it ends; null for a link. */
  @Column('uuid', { name: 'api_key_id', nullable: true })
  apiKeyId!: string | null;

  /** SHA-256 of the cookie's value, hexadecimal. */
  @Column('text')
  hash!: string;

  /** At sign-in. A session does not outlive a change of it. */
  @Column('text')
  role!: Role;

  @Column('text', { array: true })
  scopes!: Scope[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  /** Written once a minute at most. */
  @Column('timestamptz', { name: 'last_seen_at', default: () => 'now()' })
  lastSeenAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
