import type { JsonObject, Problem } from '../../kernel';

/**
 * Rows of a LAMB database (its documented tables), typed and bounded, each table ordered by its key. What could not be
 * read stands in `problems`. Rows are believed one by one: an owner, organization or assistant that a row names may not
 * exist, slugs may occur twice, texts may hold NUL.
 */
export interface LambSource {
  /** What the names of its tables start with, e.g. `LAMB_`. */
  readonly prefix: string;
  /** Every problem of the file itself that does not stop the import, e.g. rows that were left out. */
  readonly problems: readonly LambProblem[];
  readonly organizations: readonly LambOrganization[];
  readonly users: readonly LambUser[];
  readonly roles: readonly LambRole[];
  readonly assistants: readonly LambAssistant[];
  readonly shares: readonly LambShare[];
  readonly rubrics: readonly LambRubric[];
  readonly promptTemplates: readonly LambPromptTemplate[];
  readonly collections: readonly LambCollection[];
}

/**
 * `table.absent`: an optional table is not there. `row.left_out`: nothing of the row came through. `value.ignored`: one
 * column of the row was read as if it were empty. `user.nowhere`: somebody who belongs to no organization.
 */
export const LAMB_PROBLEM_CODES = ['table.absent', 'row.left_out', 'value.ignored', 'user.nowhere'] as const;
export type LambProblemCode = (typeof LAMB_PROBLEM_CODES)[number];

/** Something in the source that could not be read; `path` names the column, empty for a whole row or table. */
export interface LambProblem extends Problem {
  readonly code: LambProblemCode;
  /** Without the prefix, e.g. `assistants`. */
  readonly table: string;
  /** Primary key; null for a whole table. */
  readonly row: string | null;
}

export interface LambOrganization {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly isSystem: boolean;
  /** What is none of these is read as `suspended`. */
  readonly status: 'active' | 'suspended' | 'trial';
  /** The parsed `config`; empty when it could not be read (then there is a problem). */
  readonly config: JsonObject;
}

export interface LambUser {
  readonly id: number;
  readonly organizationId: number | null;
  readonly email: string;
  readonly name: string;
  readonly enabled: boolean;
  /** `creator`, `end_user`, … as LAMB has it. */
  readonly userType: string;
  readonly isSystemAdmin: boolean;
}

export interface LambRole {
  readonly organizationId: number;
  readonly userId: number;
  readonly role: 'owner' | 'admin' | 'member';
}

export interface LambAssistant {
  readonly id: number;
  readonly organizationId: number;
  readonly name: string;
  readonly description: string;
  readonly ownerEmail: string;
  /** `api_callback`, to the letter; empty for NULL. */
  readonly metadata: string;
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  /** To the letter: ids with commas between them. */
  readonly ragCollections: string;
  /** As it stands there, e.g. 0 or 50; null for NULL. */
  readonly ragTopK: number | null;
  readonly published: boolean;
  /** Owner `deleted_assistant@owi.com`: deleted in LAMB. */
  readonly deleted: boolean;
  /** Seconds since 1970. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export interface LambShare {
  readonly assistantId: number;
  readonly userId: number;
}

export interface LambRubric {
  readonly id: number;
  readonly rubricId: string;
  readonly organizationId: number;
  readonly ownerEmail: string;
  readonly title: string;
  readonly description: string;
  /** The parsed `rubric_data`; null when it could not be read. */
  readonly document: JsonObject | null;
  readonly isPublic: boolean;
  readonly isShowcase: boolean;
}

export interface LambPromptTemplate {
  readonly id: number;
  readonly organizationId: number;
  readonly ownerEmail: string;
  readonly name: string;
  readonly description: string;
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly isShared: boolean;
}

/** A collection of the external knowledge-base server. */
export interface LambCollection {
  readonly collectionId: string;
  readonly name: string;
  readonly ownerUserId: number;
  readonly organizationId: number;
  readonly isShared: boolean;
}
