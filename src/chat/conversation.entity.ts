import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Questions of one person to one assistant, and its answers. */
@Entity('conversations')
@Index('conversations_user_idx', ['organizationId', 'userId', 'updatedAt', 'id'])
@Index('conversations_age_idx', ['organizationId', 'updatedAt'])
@Index('conversations_activity_idx', ['activityId', 'updatedAt'], { where: 'activity_id IS NOT NULL' })
export class ConversationEntity {
  @PrimaryColumn('uuid')
  id!: string;

  /** Organization of the person. The assistant may be another organization's. */
  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('integer', { name: 'assistant_id' })
  assistantId!: number;

  /** Name at the last question: the assistant may be deleted or withdrawn since. */
  @Column('text', { name: 'assistant_name' })
  assistantName!: string;

  /** The activity of a course in which it was begun; null outside of courses, and for a deleted one. */
  @Column('uuid', { name: 'activity_id', nullable: true })
  activityId!: string | null;

  /** Empty before the first question. */
  @Column('text')
  title!: string;

  /** Last message of the branch that is shown; null for the newest message. */
  @Column('uuid', { name: 'last_message_id', nullable: true })
  lastMessageId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  /** Time of the last question or change of the title. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export interface Conversation extends Readonly<Omit<ConversationEntity, 'organizationId' | 'userId'>> {
  /** Number of messages, all branches together. */
  readonly messagesCount: number;
}
