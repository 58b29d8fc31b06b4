import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';

/** `name` is the path in the owner's file space. `storageName` is the generated name of the bytes in the blob store. */
@Entity('files')
@Unique('files_name_uq', ['organizationId', 'ownerId', 'name'])
export class FileEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'files_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'content_type' })
  contentType!: string;

  /** Bytes. */
  @Column('integer')
  size!: number;

  @Column('text')
  sha256!: string;

  @Column('text', { name: 'storage_name' })
  storageName!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
