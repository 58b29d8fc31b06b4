import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A collection of the organization's own knowledge-base server, as far as it is known here: its passages stay there. */
@Entity('external_collections')
export class ExternalCollectionEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'external_collections_pk' })
  organizationId!: string;

  /** As the server and the assistants name it. */
  @PrimaryColumn('text', { name: 'collection_id', primaryKeyConstraintName: 'external_collections_pk' })
  collectionId!: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  name!: string;

  /** Listed for every member. */
  @Column('boolean', { default: false })
  shared!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
