import { Column, Entity, Index, Unique } from 'typeorm';
import { VersionedEntity } from '../../../src/infrastructure/database';

export const WINDOW_MODES = ['closed', 'strict'] as const;
export type WindowMode = (typeof WINDOW_MODES)[number];

/** An assessment window. */
export interface ActivityWindow {
  /** ISO 8601, with `until` excluded. */
  readonly from: string;
  readonly until: string;
  /** `closed`: no answers. `strict`: answers under `instruction`. */
  readonly mode: WindowMode;
  readonly instruction?: string;
}

export interface ActivitySettings {
  /** Instructors of the course may read conversations, after the student agreed. */
  readonly teachersRead: boolean;
  /** Instructors see pseudonyms. */
  readonly anonymous: boolean;
  readonly opensAt: string | null;
  readonly closesAt: string | null;
  readonly windows: readonly ActivityWindow[];
}

/** How teachers see the students whose conversations they may read. */
export const READABLE_AS = ['named', 'pseudonymous'] as const;
export type ReadableAs = (typeof READABLE_AS)[number];

/** Custom parameters of a link with these settings. */
export const parametersOf = (readableAs: ReadableAs | undefined): Readonly<Record<string, string>> =>
  readableAs === undefined ? {} : { readable_as: readableAs };

/** Settings with which an activity begins. Later launches leave them as the teacher set them. */
export function settingsIn(custom: Readonly<Record<string, string>>): Partial<ActivitySettings> {
  const readableAs = READABLE_AS.find((each) => each === custom['readable_as']);
  return readableAs === undefined ? {} : { teachersRead: true, anonymous: readableAs === 'pseudonymous' };
}

/** A link of a course, or of a platform without courses, with its assistants. */
@Entity('lti_activities')
@Unique('lti_activities_link_uq', ['platformId', 'deploymentId', 'resourceLinkId'])
@Index('lti_activities_course_idx', ['courseId'])
@Index('lti_activities_organization_idx', ['organizationId'])
@Index('lti_activities_assistants_idx', ['assistantIds'], { type: 'gin' })
export class ActivityEntity extends VersionedEntity {
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
}
