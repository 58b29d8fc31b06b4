import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The link from a row of another installation to ours, with hashes of both after the last import. */
@Entity('origins')
@Index('origins_organization_key', ['source', 'originId'], { unique: true, where: `kind = 'organization'` })
export class OriginEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @PrimaryColumn('text')
  source!: string;

  @PrimaryColumn('text')
  kind!: string;

  /** Primary key at the source. */
  @PrimaryColumn('text', { name: 'origin_id' })
  originId!: string;

  @Column('text', { name: 'local_id' })
  localId!: string;

  /** SHA-256 of the source's value. */
  @Column('text', { name: 'imported_sha256' })
  importedSha256!: string;

  /** SHA-256 of the stored value after the import, as far as the source decides it. */
  @Column('text', { name: 'local_sha256' })
  localSha256!: string;

  @Column('timestamptz', { name: 'imported_at', default: () => 'now()' })
  importedAt!: Date;
}
