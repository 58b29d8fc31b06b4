import { uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../../../src/infrastructure/database';
import type { LaunchMessage } from '../launch-claims';
import type { PlatformEntity } from '../platforms/platform.entity';
import { CourseEntity } from './course.entity';
import { CoursePersonEntity } from './course-person.entity';

type CoursePlatform = Pick<PlatformEntity, 'id' | 'organizationId'>;

/** Courses and their people, as launches tell them. */
@Injectable()
export class CourseRepository {
  constructor(private readonly dataSource: DataSource) {}

  find(organizationId: string, id: string): Promise<CourseEntity | null> {
    return this.dataSource.getRepository(CourseEntity).findOneBy({ id, organizationId });
  }

  /** The id of the course. A launch renews title and roster. Two first launches at once violate `lti_courses_context_uq`. */
  async follow(
    { id: platformId, organizationId }: CoursePlatform,
    deploymentId: string,
    { contextId, title, rosterUrl }: NonNullable<LaunchMessage['course']>,
    tx: Transaction,
  ): Promise<string> {
    const courses = tx.getRepository(CourseEntity);
    const known = await courses.findOneBy({ platformId, deploymentId, contextId });
    const id = known?.id ?? uuidv7();
    if (known === null) {
      await courses.insert({ id, organizationId, platformId, deploymentId, contextId, title, rosterUrl });
    } else if (known.title !== title || (rosterUrl !== null && known.rosterUrl !== rosterUrl)) {
      await courses.update({ id }, { title, rosterUrl: rosterUrl ?? known.rosterUrl });
    }
    return id;
  }

  async join(person: Omit<CoursePersonEntity, 'lastLaunchAt'>, tx: Transaction): Promise<void> {
    await tx
      .createQueryBuilder()
      .insert()
      .into(CoursePersonEntity)
      .values({ ...person, lastLaunchAt: () => 'now()' })
      .orUpdate(['instructor', 'last_launch_at'], ['course_id', 'user_id'])
      .execute();
  }
}
