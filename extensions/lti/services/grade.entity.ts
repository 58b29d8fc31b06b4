import { Check, Column, Entity, Index } from 'typeorm';
import { DatedEntity } from '../../../src/infrastructure/database';

export type GradeState = 'waiting' | 'sent' | 'refused';

/** A grade that a teacher handed to the platform of an activity. */
@Entity('lti_grades')
@Index('lti_grades_activity_idx', ['activityId', 'id'])
@Index('lti_grades_user_idx', ['organizationId', 'userId'])
@Index('lti_grades_graded_by_idx', ['organizationId', 'gradedBy'])
@Check('lti_grades_state_ck', `"state" IN ('waiting', 'sent', 'refused')`)
export class GradeEntity extends DatedEntity {
  @Column('uuid', { name: 'activity_id' })
  activityId!: string;

  /** The person at the platform. */
  @Column('text')
  subject!: string;

  /** Null for a person who has never launched. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('double precision')
  score!: number;

  @Column('double precision')
  maximum!: number;

  @Column('text', { default: '' })
  comment!: string;

  /** `waiting`: the service stopped before the platform answered. */
  @Column('text')
  state!: GradeState;

  /** Words of the platform, or why it could not be asked. */
  @Column('text', { nullable: true })
  refusal!: string | null;

  @Column('uuid', { name: 'graded_by', nullable: true })
  gradedBy!: string | null;

  @Column('timestamptz', { name: 'sent_at', nullable: true })
  sentAt!: Date | null;
}
