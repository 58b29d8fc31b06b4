import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A collection of the organization's external knowledge-base server. Its passages stay there. */
@Entity('external_collections')
export class ExternalCollectionEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  /** Its id on the server and in assistants. */
  @PrimaryColumn('text', { name: 'collection_id' })
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
