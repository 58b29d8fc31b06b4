import type { JsonObject, Problem } from '../../kernel';

/** Rows of a LAMB database (its documented tables), typed and bounded; what could not be read stands in `problems`. */
export interface LambSource {
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

/** Where in the source: table and primary key, e.g. `assistants/12`, and a path inside the row where there is one. */
export interface LambProblem extends Problem {
  readonly table: string;
  readonly row: string | null;
}

export interface LambOrganization {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly isSystem: boolean;
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
  /** `api_callback`, to the letter. */
  readonly metadata: string;
  readonly systemPrompt: string;
  readonly promptTemplate: string;
  readonly ragCollections: string;
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
