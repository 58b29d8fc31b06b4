import type { Role } from '@bellwether/kernel';
import {
  Column,
  CreateDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  UpdateDateColumn,
} from 'typeorm';
import { OrganizationEntity } from './organization.entity';
import { UserEntity } from './user.entity';

/** `link`: an administrator made a link. The others tell about the e-mail. */
export const INVITATION_STATES = ['link', 'sending', 'sent', 'failed'] as const;
export type InvitationState = (typeof INVITATION_STATES)[number];

export interface ChecklistAnswers {
  /** Go on with quotations, without a model. */
  readonly quotations?: boolean;
  readonly closed?: boolean;
  /** ISO time. What the service made before then, in the person's name, is no step of theirs. */
  readonly since?: string;
}

@Entity('members')
@Index('members_user_idx', ['userId'])
export class MemberEntity {
  @PrimaryColumn('uuid', { name: 'organization_id' })
  organizationId!: string;

  @ManyToOne(() => OrganizationEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'members_organization_fk' })
  organization?: OrganizationEntity;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @ManyToOne(() => UserEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'members_user_fk' })
  person?: UserEntity;

  /** Name in this organization. */
  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  @Column('boolean', { default: false })
  disabled!: boolean;

  /** Null for a person who never had a session of a browser. */
  @Column('timestamptz', { name: 'first_signed_in_at', nullable: true })
  firstSignedInAt!: Date | null;

  @Column('timestamptz', { name: 'invited_at', nullable: true })
  invitedAt!: Date | null;

  @Column('text', { nullable: true })
  invitation!: InvitationState | null;

  /** Why the e-mail could not be sent. */
  @Column('text', { name: 'invitation_problem', nullable: true })
  invitationProblem!: string | null;

  /** The person's answers to the checklist for a first assistant. */
  @Column('jsonb', { default: {} })
  checklist!: ChecklistAnswers;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
