import { Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../../infrastructure/database';

/** A credential with which a directory provisions one organization. It opens SCIM and nothing else. */
@Entity('scim_tokens')
@Unique('scim_tokens_hash_uq', ['hash'])
@Index('scim_tokens_organization_idx', ['organizationId'])
export class ScimTokenEntity extends DatedEntity {
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

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
