import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** A credential with which a directory provisions one organization. It opens SCIM and nothing else. */
@Entity('scim_tokens')
@Unique('scim_tokens_hash_uq', ['hash'])
@Index('scim_tokens_organization_idx', ['organizationId'])
export class ScimTokenEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'scim_tokens_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('text')
  name!: string;

  /** SHA-256 of the token. */
  @Column('text')
  hash!: string;

  /** Whether the directory may take over members that were there before, by address. */
  @Column('boolean', { name: 'link_existing', default: false })
  linkExisting!: boolean;

  @Column('uuid', { name: 'created_by' })
  createdBy!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
