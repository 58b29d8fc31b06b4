import { Column, Entity, Index } from 'typeorm';
import { TenantEntity } from '../../../src/infrastructure/database';
import type { WantedContent } from './wanted-content';

/** A deep-linking request: the platform waits for the content that its author chooses. */
@Entity('lti_selections')
@Index('lti_selections_user_idx', ['organizationId', 'userId'])
@Index('lti_selections_expires_idx', ['expiresAt'])
export class SelectionEntity extends TenantEntity {
  /** Person who makes the selection; only they may answer. */
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'platform_id' })
  platformId!: string;

  @Column('text', { name: 'deployment_id' })
  deploymentId!: string;

  @Column('text', { name: 'course_title' })
  courseTitle!: string;

  @Column('jsonb')
  wanted!: WantedContent;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
