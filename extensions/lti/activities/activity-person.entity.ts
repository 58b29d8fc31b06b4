import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** How teachers see a person whose conversations they may read. */
export const AGREEMENTS = ['named', 'pseudonymous'] as const;
export type Agreement = (typeof AGREEMENTS)[number];

/** A person in an activity, with the role of the last launch. */
@Entity('lti_activity_people')
@Index('lti_activity_people_user_idx', ['organizationId', 'userId'])
@Check('lti_activity_people_agreed_to_ck', `"agreed_to" IN ('named', 'pseudonymous')`)
export class ActivityPersonEntity {
  @PrimaryColumn('uuid', { name: 'activity_id' })
  activityId!: string;

  @PrimaryColumn('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('boolean')
  instructor!: boolean;

  /** Random, so that nothing else leads to the person. */
  @Column('text')
  pseudonym!: string;

  /** When the person agreed that teachers read what is asked from then on; null for no agreement. */
  @Column('timestamptz', { name: 'agreed_at', nullable: true })
  agreedAt!: Date | null;

  @Column('text', { name: 'agreed_to', nullable: true })
  agreedTo!: Agreement | null;

  @Column('timestamptz', { name: 'last_launch_at', default: () => 'now()' })
  lastLaunchAt!: Date;
}
