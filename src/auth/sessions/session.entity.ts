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

  /** Key that opened the session, which ends with it; null for a link. */
  @Column('uuid', { name: 'api_key_id', nullable: true })
  apiKeyId!: string | null;

  /** SHA-256 of the cookie's value, hexadecimal. */
  @Column('text')
  hash!: string;

  /** Role at sign-in. A change of the role ends the session. */
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
