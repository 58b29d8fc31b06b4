import type { ImportedAssistant } from '../../../src/assistants';
import type { ImportedPromptTemplate } from '../../../src/assistants/prompt-templates';
import type { ImportedCollection } from '../../../src/knowledge-bases';
import type { ImportedMember, ImportedOrganizationValues } from '../../../src/organizations';
import type { ImportedRubric } from '../../../src/rubrics';

/** An item of the source with the value that it should have here. */
export interface SourceItem<T> {
  /** Primary key at the source. */
  readonly origin: string;
  readonly name: string | null;
  readonly value: T;
  readonly createdAt?: Date | null;
  readonly updatedAt?: Date | null;
}

/** A member; `name` is the account's e-mail address. */
export interface PlannedMember extends SourceItem<ImportedMember> {
  readonly name: string;
}

/** An assistant whose metadata still names files and assistants as the source does. */
export interface PlannedAssistant extends SourceItem<ImportedAssistant> {
  readonly id: number;
  readonly name: string;
  /** Paths of the files that it reads, as the source names them. */
  readonly files: readonly string[];
  /** Our id of its owner at the source, where that is a member; its owner here may be another person. */
  readonly formerOwnerId: string | null;
}

/** One organization as it should be here. */
export interface ImportPlan {
  readonly slug: string;
  readonly values: ImportedOrganizationValues;
  readonly members: readonly PlannedMember[];
  readonly rubrics: readonly SourceItem<ImportedRubric>[];
  readonly promptTemplates: readonly SourceItem<ImportedPromptTemplate>[];
  readonly collections: readonly SourceItem<ImportedCollection>[];
  readonly assistants: readonly PlannedAssistant[];
  /** Our user ids by the source's, for users of this organization. */
  readonly userIds: ReadonlyMap<number, string>;
  /** Our user ids of the shares of each assistant, by the source's id. */
  readonly shares: ReadonlyMap<number, readonly string[]>;
}
