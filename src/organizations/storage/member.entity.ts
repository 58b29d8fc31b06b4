import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';
import type { Role } from '../../kernel';
import { OrganizationEntity } from './organization.entity';
import { UserEntity } from './user.entity';

@Entity('members')
@Index('members_user_idx', ['userId'])
export class MemberEntity {
  @PrimaryColumn('uuid', { name: 'organization_id', primaryKeyConstraintName: 'members_pk' })
  @ForeignKey(() => OrganizationEntity, { name: 'members_organization_fk', onDelete: 'CASCADE' })
  organizationId!: string;

  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'members_pk' })
  @ForeignKey(() => UserEntity, { name: 'members_user_fk', onDelete: 'CASCADE' })
  userId!: string;

  /** Name in this organization. */
  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  @Column('boolean', { default: false })
  disabled!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
