import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { KeyedEntity } from '../../src/infrastructure/database';

/** A person of a platform. Platform and subject are the identity; an e-mail address is none. */
@Entity('lti_identities')
@Index('lti_identities_user_idx', ['organizationId', 'userId'])
export class LtiIdentityEntity extends KeyedEntity {
  @PrimaryColumn('uuid', { name: 'platform_id' })
  platformId!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('timestamptz', { name: 'last_launch_at', default: () => 'now()' })
  lastLaunchAt!: Date;
}
