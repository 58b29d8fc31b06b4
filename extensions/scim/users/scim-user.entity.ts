import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { ScimUserValues } from './user-resource';

/** A member whom a directory provisions. Their state is that of the membership. */
@Entity('scim_users')
@Unique('scim_users_user_name_uq', ['organizationId', 'userNameKey'])
@Index('scim_users_external_idx', ['organizationId', 'externalId'])
export class ScimUserEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  /** The user name for comparing, without regard to case. */
  @Column('text', { name: 'user_name_key' })
  userNameKey!: string;

  /** The person, whatever their name (RFC 7643 §3.1). Null where the directory sends none. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  @Column('jsonb')
  resource!: Omit<ScimUserValues, 'active'>;

  /** The directory deleted the user. It gets the account back by creating a user with the same external id. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
