import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const KEY = 'origins_pk';

/** Which row of another installation became which of ours, and how both looked when they last met. */
@Entity('origins')
@Index('origins_organization_key', ['source', 'originId'], { unique: true, where: `kind = 'organization'` })
export class OriginEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: KEY })
  organizationId!: string;

  /** Name of the installation. */
  @PrimaryColumn('text', { primaryKeyConstraintName: KEY })
  source!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: KEY })
  kind!: string;

  /** Primary key there. */
  @PrimaryColumn('text', { name: 'origin_id', primaryKeyConstraintName: KEY })
  originId!: string;

  @Column('text', { name: 'local_id' })
  localId!: string;

  /** Of what the source said. */
  @Column('text', { name: 'imported_sha256' })
  importedSha256!: string;

  /** Of ours, as far as the source has a say in it, after the import had written it. */
  @Column('text', { name: 'local_sha256' })
  localSha256!: string;

  @Column('timestamptz', { name: 'imported_at', default: () => 'now()' })
  importedAt!: Date;
}
