import type { LambOrganization, LambSource } from '@bellwether/lamb-reader';
import type { ImportedAssistant } from '../../../src/assistants';
import type { ImportedPromptTemplate } from '../../../src/assistants/prompt-templates';
import type { Transaction } from '../../../src/infrastructure/database';
import type { ImportedCollection } from '../../../src/knowledge-bases';
import type { ImportedMember, ImportedOrganizationValues } from '../../../src/organizations';
import type { ImportedRubric } from '../../../src/rubrics';
import type { AddressMapping } from '../metadata-references';
import type { Origins } from '../origin.repository';
import type { ReportBuilder } from '../report-builder';

export interface ImportProgress {
  report(step: { readonly done: number; readonly total: number; readonly text: string }): void;
}

/** The operator's decisions about values that cannot be imported unchanged. */
export interface ImportChoices {
  /** Organizations without a provider or knowledge-base server get those of LAMB's system organization. */
  readonly inheritSystem: boolean;
  readonly addresses: readonly AddressMapping[];
  /** Slugs here by the source's slug or id. */
  readonly slugs: ReadonlyMap<string, string>;
  /** Lower-case address of the new owner of disabled people's items. null: they keep them, and their assistants do not run. */
  readonly disabledOwnersTo: string | null;
  /** Removes the owner's number from assistants' names where the rest is unique in the organization. */
  readonly stripPrefix: boolean;
  /** Every assistant gets a new id; otherwise an assistant keeps that of the source where it is free. */
  readonly newIds: boolean;
  /** Passwords that let people in once, until a date. null: none are taken over. */
  readonly passwords: { readonly until: Date; readonly hashes: ReadonlyMap<number, string> } | null;
}

export const NO_CHOICES: ImportChoices = {
  inheritSystem: false,
  addresses: [],
  slugs: new Map(),
  disabledOwnersTo: null,
  stripPrefix: false,
  newIds: false,
  passwords: null,
};

export interface ImportOptions {
  /** LAMB's `static/public` folder. null: files of single-file assistants are listed and not copied. */
  readonly files: string | null;
  /** Everything is tried and rolled back. */
  readonly dryRun: boolean;
  /** Identifies the installation; a repetition under the same name updates the items of the earlier import. */
  readonly sourceName: string;
  /** The source's slug of the only organization to import; null for all. */
  readonly organization: string | null;
  readonly choices: ImportChoices;
  readonly progress: ImportProgress;
  /** Ends the import after the current organization. */
  readonly signal: AbortSignal;
}

/** Everything that the import of one organization needs to know. */
export interface ImportContext {
  readonly organization: LambOrganization;
  /** Id here, of the existing or of the new organization. */
  readonly organizationId: string;
  readonly source: LambSource;
  readonly options: ImportOptions;
  readonly origins: Origins;
  readonly report: ReportBuilder;
  /** @throws {AppError} `conflict` when another import has taken over */
  readonly renewLease: (tx?: Transaction) => Promise<void>;
  /** Tells the operator the current step. */
  readonly tell: (text: string) => void;
}

export interface WriteContext extends ImportContext {
  readonly tx: Transaction;
}

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
