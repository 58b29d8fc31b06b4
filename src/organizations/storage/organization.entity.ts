import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { OrganizationSettings } from '../settings/settings.types';

@Entity('organizations')
@Unique('organizations_slug_key', ['slug'])
@Index('organizations_system_key', ['isSystem'], { unique: true, where: 'is_system' })
export class OrganizationEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'organizations_pk' })
  id!: string;

  @Column('text')
  slug!: string;

  @Column('text')
  name!: string;

  /** The operator's own organization: the one that the environment's providers serve. */
  @Column('boolean', { name: 'is_system', default: false })
  isSystem!: boolean;

  /** Set by system administrators; nothing of a suspended organization runs. */
  @Column('boolean', { default: false })
  suspended!: boolean;

  @Column('jsonb', { default: {} })
  settings!: OrganizationSettings;

  /** Counts what people changed, from 1; members are none of it. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
