import type { LambActivity, LambKey, LambLtiPerson } from './lti-activities';
import type { LambProblem } from './problem.types';
import type { RowOf, TABLES } from './source-tables';

type Row<Name extends keyof typeof TABLES> = RowOf<(typeof TABLES)[Name]>;

export type LambOrganization = Row<'organizations'>;
export type LambUser = Row<'Creator_users'>;
export type LambRole = Row<'organization_roles'>;
export type LambAssistant = Row<'assistants'> & { readonly published: boolean };
export type LambShare = Row<'assistant_shares'>;
export type LambRubric = Row<'rubrics'>;
export type LambPromptTemplate = Row<'prompt_templates'>;
export type LambCollection = Row<'kb_registry'>;

/**
 * Rows of a LAMB database, each table ordered by its key. Rows are checked one by one. A row may name an owner that does
 * not exist, slugs may occur twice, and texts may hold NUL.
 */
export interface LambSource {
  /** Beginning of its table names, e.g. `LAMB_`. */
  readonly prefix: string;
  /** Problems that do not stop the import, e.g. rows that were left out. */
  readonly problems: readonly LambProblem[];
  readonly organizations: readonly LambOrganization[];
  readonly users: readonly LambUser[];
  readonly roles: readonly LambRole[];
  readonly assistants: readonly LambAssistant[];
  readonly shares: readonly LambShare[];
  readonly rubrics: readonly LambRubric[];
  readonly promptTemplates: readonly LambPromptTemplate[];
  readonly collections: readonly LambCollection[];
  /** LTI 1.1 activities that are in use. */
  readonly activities?: readonly LambActivity[];
  readonly keys?: readonly LambKey[];
  readonly ltiPeople?: readonly LambLtiPerson[];
  readonly notTaken?: NotTaken;
}

/** Parts of a LAMB installation that an import does not take over, in the order of the report. */
export const NOT_TAKEN = [
  'lti_activities',
  'lti_keys',
  'lti_students',
  'lti_teachers',
  'chats',
  'libraries',
  'test_scenarios',
  'aac_sessions',
  'signup_keys',
  'assistant_quotas',
  'assistant_defaults',
  'organization_limits',
  'rubric_showcases',
  'rubric_parents',
] as const;
export type NotTakenKind = (typeof NOT_TAKEN)[number];
export type NotTaken = Readonly<Partial<Record<NotTakenKind, number>>>;
