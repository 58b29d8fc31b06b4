import { Column, CreateDateColumn, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** The columns of a row of one organization with another key than a UUID. */
export abstract class KeyedEntity {
  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}

/** The columns of a row that belongs to one organization. */
export abstract class TenantEntity {
  /** UUID, of version 7 where the order of ids is the order of creation. */
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;
}

/** A row that tells when it was made. */
export abstract class DatedEntity extends TenantEntity {
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}

/** A row that also tells when it was last changed. */
export abstract class ChangingEntity extends DatedEntity {
  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}

/** A row with optimistic locking (`VersionedScope`). */
export abstract class VersionedEntity extends ChangingEntity {
  /** Counts changes by people, from 1. */
  @Column('integer', { default: 1 })
  version!: number;
}
