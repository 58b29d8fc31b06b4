import type { AssistantType, MetadataVersion, PromptDifference } from '../../definition';
import type { Problem } from '../../kernel';
import type { TargetVersion } from './batch.types';

export interface VersionCount {
  /** null: the stored document cannot be read. */
  readonly version: MetadataVersion | null;
  readonly type: AssistantType;
  readonly count: number;
}

/** An assistant that would be migrated. */
export interface PlannedRewrite {
  readonly assistantId: number;
  readonly name: string;
  readonly from: MetadataVersion;
  /** Lines of a unified diff of metadata and template. */
  readonly diff: readonly string[];
  readonly notes: readonly Problem[];
}

/** An assistant that cannot be migrated. */
export interface PlannedRefusal {
  readonly assistantId: number;
  readonly name: string;
  readonly from: MetadataVersion | null;
  readonly problems: readonly Problem[];
  readonly differences: readonly PromptDifference[];
}

/** The effect that a migration would have now. */
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
  /** Organizations whose assistants are skipped, with their numbers. */
  readonly skippedOrganizations: readonly { readonly organizationId: string; readonly count: number }[];
  readonly complete: boolean;
}

/** Versions of the stored documents of one organization. */
export interface OrganizationStatus {
  readonly slug: string;
  /** Whether its assistants may be migrated: the feature `multi_tool`. */
  readonly migratable: boolean;
  readonly total: number;
  readonly versions: readonly VersionCount[];
}
