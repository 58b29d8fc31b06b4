import type { Principal } from '@bellwether/kernel';
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { Transaction } from '../../../src/infrastructure/database';
import { ActivityPersonEntity, type Agreement } from './activity-person.entity';

type Joining = Pick<ActivityPersonEntity, 'organizationId' | 'activityId' | 'userId' | 'instructor'>;

const JOIN = `
  INSERT INTO lti_activity_people (organization_id, activity_id, user_id, instructor, pseudonym)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT ON CONSTRAINT lti_activity_people_pk
  DO UPDATE SET instructor = excluded.instructor, last_launch_at = now()`;

const AGREE = `
  UPDATE lti_activity_people SET agreed_to = $4::text, agreed_at = CASE WHEN $4::text IS NULL THEN NULL ELSE now() END
  WHERE organization_id = $1 AND user_id = $2 AND activity_id = $3`;

/** The role in the course is the newer one: every activity of the course renews it. */
const LEARNS_IN = `
  SELECT activity.id FROM lti_activities activity
  LEFT JOIN lti_course_people course ON course.course_id = activity.course_id AND course.user_id = $2
  LEFT JOIN lti_activity_people own ON own.activity_id = activity.id AND own.user_id = $2
  WHERE activity.organization_id = $1 AND activity.id = ANY($3)
    AND NOT coalesce(course.instructor, own.instructor, true)`;

/** People of activities. */
@Injectable()
export class ActivityPeopleRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** At a launch. An agreement stays. */
  async join({ organizationId, activityId, userId, instructor }: Joining, tx: Transaction): Promise<void> {
    const pseudonym = randomBytes(3).toString('hex').toUpperCase();
    await tx.query(JOIN, [organizationId, activityId, userId, instructor, pseudonym]);
  }

  /** The person in each of the activities, as far as they take part. */
  of({ organizationId, userId }: Principal, activityIds: readonly string[]): Promise<ActivityPersonEntity[]> {
    const where = { organizationId, userId, activityId: In([...activityIds]) };
    return this.dataSource.getRepository(ActivityPersonEntity).findBy(where);
  }

  /** The activities in whose course the person is a student, or which a student opened without a course. */
  async learnsIn({ organizationId, userId }: Principal, activityIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(LEARNS_IN, [organizationId, userId, activityIds]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Stores the agreement with the time of the database's clock, which stamps messages too. Null takes the agreement
   * back.
   */
  async agree(
    { organizationId, userId }: Principal,
    activityId: string,
    agreement: Agreement | null,
    tx: Transaction,
  ): Promise<void> {
    await tx.query(AGREE, [organizationId, userId, activityId, agreement]);
  }

  /** Takes all agreements back. */
  async forgetAgreements(organizationId: string, activityId: string, tx: Transaction): Promise<void> {
    const none = { agreedAt: null, agreedTo: null };
    await tx.getRepository(ActivityPersonEntity).update({ organizationId, activityId }, none);
  }

  /** Agreements by name become agreements to a pseudonym: names need a new one. */
  async narrowAgreements(organizationId: string, activityId: string, tx: Transaction): Promise<void> {
    const named = { organizationId, activityId, agreedTo: 'named' as const };
    await tx.getRepository(ActivityPersonEntity).update(named, { agreedTo: 'pseudonymous' });
  }

  /** Everybody in the activities. */
  allOf(organizationId: string, activityIds: readonly string[]): Promise<ActivityPersonEntity[]> {
    const where = { organizationId, activityId: In([...activityIds]) };
    return this.dataSource.getRepository(ActivityPersonEntity).findBy(where);
  }
}
