import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique, UpdateDateColumn } from 'typeorm';
import type { ActivitySettings } from './activity.types';

/** A link of a course, or of a platform without courses, with its assistants. */
@Entity('lti_activities')
@Unique('lti_activities_link_uq', ['platformId', 'deploymentId', 'resourceLinkId'])
@Index('lti_activities_course_idx', ['courseId'])
@Index('lti_activities_organization_idx', ['organizationId'])
@Index('lti_activities_assistants_idx', ['assistantIds'], { type: 'gin' })
export class ActivityEntity {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'lti_activities_pk' })
  id!: string;

  @Column('uuid', { name: 'organization_id' })
  organizationId!: string;

  @Column('uuid', { name: 'platform_id' })
  platformId!: string;

  @Column('uuid', { name: 'course_id', nullable: true })
  courseId!: string | null;

  @Column('text', { name: 'deployment_id' })
  deploymentId!: string;

  @Column('text', { name: 'resource_link_id' })
  resourceLinkId!: string;

  @Column('text')
  title!: string;

  @Column('integer', { name: 'assistant_ids', array: true, default: [] })
  assistantIds!: number[];

  /** The parameter `assistant` of the last launch. Another value replaces the assistants. */
  @Column('text', { name: 'linked_assistants', nullable: true })
  linkedAssistants!: string | null;

  @Column('jsonb', { default: {} })
  settings!: Partial<ActivitySettings>;

  /** Addresses and scopes of Assignment and Grade Services 2.0; null where the platform offers none. */
  @Column('text', { name: 'line_items_url', nullable: true })
  lineItemsUrl!: string | null;

  @Column('text', { name: 'line_item_url', nullable: true })
  lineItemUrl!: string | null;

  @Column('text', { name: 'score_scopes', array: true, default: [] })
  scoreScopes!: string[];

  /** Origin of the page that showed the last launch; it may show the chat in a frame. */
  @Column('text', { name: 'frame_origin', nullable: true })
  frameOrigin!: string | null;

  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
