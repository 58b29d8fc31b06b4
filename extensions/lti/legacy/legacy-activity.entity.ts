import { Column, Entity, Unique } from 'typeorm';
import { TenantEntity } from '../../../src/infrastructure/database';

/** An activity of another installation, which the first launch of its resource link takes over. */
@Entity('lti_legacy_activities')
@Unique('lti_legacy_activities_link_uq', ['organizationId', 'resourceLinkId'])
export class LegacyActivityEntity extends TenantEntity {
  /** `resource_link_id` of LTI 1.1. Platforms keep it when a tool is switched to LTI 1.3. */
  @Column('text', { name: 'resource_link_id' })
  resourceLinkId!: string;

  /** `context_id` of LTI 1.1; null where it is not known. */
  @Column('text', { name: 'context_id', nullable: true })
  contextId!: string | null;

  @Column('text')
  title!: string;

  @Column('integer', { name: 'assistant_ids', array: true })
  assistantIds!: number[];

  @Column('boolean', { name: 'teachers_read' })
  teachersRead!: boolean;
}
