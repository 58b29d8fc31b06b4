import { Check, Column, Entity, Index, Unique } from 'typeorm';
import { TenantEntity } from '../../../src/infrastructure/database';

export type LegacyEntry = 'activity' | 'creator';

/** A person whom another installation knew by the `user_id` of LTI 1.1, and who is a member here. */
@Entity('lti_legacy_people')
@Unique('lti_legacy_people_user_uq', ['organizationId', 'entry', 'legacyUserId'])
@Index('lti_legacy_people_member_idx', ['organizationId', 'userId'])
@Check('lti_legacy_people_door_ck', `"door" IN ('activity', 'creator')`)
export class LegacyPersonEntity extends TenantEntity {
  /** Way in: by an activity of a course, or as a teacher who works here. */
  @Column('text', { name: 'door' })
  entry!: LegacyEntry;

  @Column('text', { name: 'legacy_user_id' })
  legacyUserId!: string;

  /** Address at the course platform, in lower case; null where it is not known. */
  @Column('text', { nullable: true })
  email!: string | null;

  @Column('uuid', { name: 'user_id' })
  userId!: string;
}
