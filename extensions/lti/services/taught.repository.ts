import { assertActsForPerson, type Caller } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { ActivityEntity } from '../courses/activity.entity';
import { CourseEntity } from '../courses/course.entity';
import { CoursePersonEntity } from '../courses/course-person.entity';
import { LtiIdentityEntity } from '../identity.entity';

/** Courses and activities that the caller teaches, by the role of the last launch. The session of a launch reaches its courses only. */
@Injectable()
export class TaughtRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {AppError} `forbidden` for a restricted key */
  async course(caller: Caller, courseId: string): Promise<CourseEntity | null> {
    assertActsForPerson(caller);
    const { organizationId, userId, activityIds } = caller;
    const manager = this.dataSource.manager;
    const launched = { courseId, organizationId, id: In([...(activityIds ?? [])]) };
    if (activityIds !== undefined && !(await manager.existsBy(ActivityEntity, launched))) return null;
    const teaches = { courseId, userId, organizationId, instructor: true };
    if (!(await manager.existsBy(CoursePersonEntity, teaches))) return null;
    return manager.findOneBy(CourseEntity, { id: courseId, organizationId });
  }

  /** @throws {AppError} as `course` */
  async activity(caller: Caller, id: string): Promise<ActivityEntity | null> {
    assertActsForPerson(caller);
    const { organizationId } = caller;
    const activity = await this.dataSource.manager.findOneBy(ActivityEntity, { id, organizationId });
    if (activity?.courseId == null) return null;
    return (await this.course(caller, activity.courseId)) === null ? null : activity;
  }

  /** Members behind the people of a platform, by subject. */
  async usersOf({ organizationId }: Caller, platformId: string): Promise<ReadonlyMap<string, string>> {
    const known = await this.dataSource.manager.findBy(LtiIdentityEntity, { platformId, organizationId });
    return new Map(known.map(({ subject, userId }) => [subject, userId]));
  }

  async userOf({ organizationId }: Caller, platformId: string, subject: string): Promise<string | null> {
    const known = await this.dataSource.manager.findOneBy(LtiIdentityEntity, { platformId, subject, organizationId });
    return known?.userId ?? null;
  }

  /** Subjects of members at a platform, by member. */
  async subjectsOf(
    { organizationId }: Caller,
    platformId: string,
    userIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const where = { platformId, organizationId, userId: In([...userIds]) };
    const known = await this.dataSource.manager.findBy(LtiIdentityEntity, where);
    return new Map(known.map(({ subject, userId }) => [userId, subject]));
  }
}
