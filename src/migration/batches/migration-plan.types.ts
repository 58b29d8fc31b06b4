import type { AssistantType, MetadataVersion, PromptDifference } from '../../assistants';
import type { Problem } from '../../kernel';
import type { TargetVersion } from './batch.types';

export interface VersionCount {
  /** null: the stored document cannot be read. */
  readonly version: MetadataVersion | null;
  readonly type: AssistantType;
  readonly count: number;
}

/** An assistant that would be rewritten, and how. */
export interface PlannedRewrite {
  readonly assistantId: number;
  readonly organizationId: string;
  readonly name: string;
  readonly from: MetadataVersion;
  /** Lines of a unified diff of metadata and template. */
  readonly diff: readonly string[];
  readonly notes: readonly Problem[];
}

/** An assistant that would be left as it is. */
export interface PlannedRefusal {
  readonly assistantId: number;
  readonly organizationId: string;
  readonly name: string;
  readonly from: MetadataVersion | null;
  readonly problems: readonly Problem[];
  readonly differences: readonly PromptDifference[];
}

/** What a migration would do now; nothing was written for it. */
export interface MigrationPlan {
  readonly to: TargetVersion;
  readonly organizationId: string | null;
  readonly examined: number;
  readonly migrate: number;
  readonly current: number;
  readonly skipped: number;
  readonly failed: number;
  readonly versions: readonly VersionCount[];
  /** The first of each; the counts above are of all. */
  readonly rewrites: readonly PlannedRewrite[];
  readonly refusals: readonly PlannedRefusal[];
  /** Organizations whose assistants are left alone, with how many. */
  readonly skippedOrganizations: readonly { readonly organizationId: string; readonly count: number }[];
  readonly complete: boolean;
}

/** Versions of the stored documents of one organization. */
export interface OrganizationStatus {
  readonly organizationId: string;
  readonly slug: string;
  /** Whether its assistants may be migrated: the feature `multi_tool`. */
  readonly migratable: boolean;
  readonly total: number;
  readonly versions: readonly VersionCount[];
}
