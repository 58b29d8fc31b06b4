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

  /** The operator's organization, which the providers of the environment serve. */
  @Column('boolean', { name: 'is_system', default: false })
  isSystem!: boolean;

  /** Set by system administrators: blocks sign-in, keys and runs. */
  @Column('boolean', { default: false })
  suspended!: boolean;

  @Column('jsonb', { default: {} })
  settings!: OrganizationSettings;

  /** Counts changes of the organization from 1; changes of members do not count. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
