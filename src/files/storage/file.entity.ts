import { Column, Entity, Unique } from 'typeorm';
import { ChangingEntity } from '../../infrastructure/database';

/** `name` is the path in the owner's file space. `storageName` is the generated name of the bytes in the blob store. */
@Entity('files')
@Unique('files_name_uq', ['organizationId', 'ownerId', 'name'])
export class FileEntity extends ChangingEntity {
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
}
