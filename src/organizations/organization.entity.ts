import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { OrganizationSettings } from './settings/settings.types';

/** How an organization ends. Times are ISO 8601 UTC. */
export interface OrganizationEnding {
  readonly endedAt: string;
  /** User id of the system administrator; null for an operator command. */
  readonly endedBy: string | null;
  /** True when it was suspended before, and will be after a restoration. */
  readonly wasSuspended: boolean;
  /** Set when the erasure has begun: nothing can be restored any more. */
  readonly erasingSince?: string;
  /** Erased rows by table. */
  readonly erased?: Readonly<Record<string, number>>;
}

@Entity('organizations')
@Unique('organizations_slug_key', ['slug'])
@Index('organizations_system_key', ['isSystem'], { unique: true, where: 'is_system' })
export class OrganizationEntity {
  @PrimaryColumn('uuid')
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

  /** Set while the organization ends: its data is erased after this time. */
  @Column('timestamptz', { name: 'erase_after', nullable: true })
  eraseAfter!: Date | null;

  @Column('jsonb', { nullable: true })
  ending!: OrganizationEnding | null;

  /** Counts changes of the organization from 1; changes of members do not count. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
