import { Column, Entity, Index, Unique } from 'typeorm';
import { DatedEntity } from '../../src/infrastructure/database';

/** A link with a code by which people become members. A revoked one stays, so that its page can tell what happened. */
@Entity('join_links')
@Unique('join_links_code_key', ['code'])
@Index('join_links_organization_idx', ['organizationId', 'id'])
export class JoinLinkEntity extends DatedEntity {
  @Column('uuid', { name: 'created_by' })
  createdBy!: string;

  @Column('text')
  name!: string;

  /** Readable, because a teacher shows it to every class anew. */
  @Column('text')
  code!: string;

  /** The link leads to its chat; null for the list of assistants. */
  @Column('integer', { name: 'assistant_id', nullable: true })
  assistantId!: number | null;

  @Column('uuid', { name: 'group_id', nullable: true })
  groupId!: string | null;

  /** People who may join. */
  @Column('integer')
  uses!: number;

  /** People who joined. */
  @Column('integer', { default: 0 })
  used!: number;

  /** Null: until it is revoked. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
