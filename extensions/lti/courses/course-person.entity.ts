import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A person in a course, with the role of the last launch. */
@Entity('lti_course_people')
@Index('lti_course_people_user_idx', ['organizationId', 'userId'])
export class CoursePersonEntity {
  @PrimaryColumn('uuid', { name: 'course_id' })
  courseId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('boolean')
  instructor!: boolean;

  @Column('timestamptz', { name: 'last_launch_at', default: () => 'now()' })
  lastLaunchAt!: Date;
}
