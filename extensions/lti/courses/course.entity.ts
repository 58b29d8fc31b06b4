import { Column, Entity, Index, Unique } from 'typeorm';
import { ChangingEntity } from '../../../src/infrastructure/database';

/** A course of a platform: the context of launches. */
@Entity('lti_courses')
@Unique('lti_courses_context_uq', ['platformId', 'deploymentId', 'contextId'])
@Index('lti_courses_organization_idx', ['organizationId'])
export class CourseEntity extends ChangingEntity {
  @Column('uuid', { name: 'platform_id' })
  platformId!: string;

  @Column('text', { name: 'deployment_id' })
  deploymentId!: string;

  @Column('text', { name: 'context_id' })
  contextId!: string;

  @Column('text')
  title!: string;

  /** The group of its people; null until somebody has come. */
  @Column('uuid', { name: 'group_id', nullable: true })
  groupId!: string | null;

  /** Address of the roster (NRPS 2.0 §3.6.1.1); null where the platform offers none. */
  @Column('text', { name: 'roster_url', nullable: true })
  rosterUrl!: string | null;
}
