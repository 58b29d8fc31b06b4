import { Check, Entity, ForeignKey, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../infrastructure/database';
import { MemberEntity } from '../member.entity';
import { GroupEntity, type MembershipSource } from './group.entity';

/** A person may be in a group by several sources, and leaves it with the last one. */
@Entity('group_members')
@Index('group_members_user_idx', ['organizationId', 'userId'])
@Check('group_members_source_ck', `"source" IN ('manual', 'sso', 'scim')`)
export class GroupMemberEntity extends KeyedEntity {
  @PrimaryColumn('uuid', { name: 'group_id' })
  @ForeignKey(() => GroupEntity, { name: 'group_members_group_fk', onDelete: 'CASCADE' })
  groupId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => MemberEntity, { onDelete: 'CASCADE' })
  @JoinColumn([
    {
      name: 'organization_id',
      referencedColumnName: 'organizationId',
      foreignKeyConstraintName: 'group_members_member_fk',
    },
    { name: 'user_id', referencedColumnName: 'userId', foreignKeyConstraintName: 'group_members_member_fk' },
  ])
  member?: MemberEntity;

  /** A synchronization removes only memberships of its own source. */
  @PrimaryColumn('text')
  source!: MembershipSource;
}
