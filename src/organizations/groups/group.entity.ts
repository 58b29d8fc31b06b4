import { Check, Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import { OrganizationEntity } from '../organization.entity';

/** The makers of a group: people here, or a directory over SCIM. */
export const GROUP_SOURCES = ['manual', 'scim'] as const;
export type GroupSource = (typeof GROUP_SOURCES)[number];

/** The origins of a membership: people here, the claims of a sign-in, or a directory over SCIM. */
export const MEMBERSHIP_SOURCES = ['manual', 'sso', 'scim'] as const;
export type MembershipSource = (typeof MEMBERSHIP_SOURCES)[number];

/** SQL for conditions on shares with groups: the columns `organization_id`, `group_id` and `user_id`. */
export const GROUP_MEMBERSHIPS = '(SELECT organization_id, group_id, user_id FROM group_members)';

/** The property of a group that values of a claim name. */
export const GROUP_MATCHES = ['external_id', 'name'] as const;
export type GroupMatch = (typeof GROUP_MATCHES)[number];

export const groupNameKey = (name: string): string => name.normalize('NFKC').toLowerCase();

/** Members of an organization who get access together. */
@Entity('groups')
@Unique('groups_name_uq', ['organizationId', 'nameKey'])
@Unique('groups_external_id_uq', ['organizationId', 'externalId'])
@Check('groups_source_ck', `"source" IN ('manual', 'scim')`)
export class GroupEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  @ForeignKey(() => OrganizationEntity, { name: 'groups_organization_fk', onDelete: 'CASCADE' })
  organizationId!: string;

  @Column('text')
  name!: string;

  /** The name for comparing and sorting, without regard to case. */
  @Column('text', { name: 'name_key' })
  nameKey!: string;

  @Column('text', { default: '' })
  description!: string;

  /** Id of the group in the institution's directory. */
  @Column('text', { name: 'external_id', nullable: true })
  externalId!: string | null;

  /** The teacher who made it and manages it; null for a group of the administrators. */
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId!: string | null;

  @Column('text', { default: 'manual' })
  source!: GroupSource;

  /** Counts changes of the group from 1; changes of its members do not count. */
  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
