import type { Problem } from '../../../kernel';
import type { Definition, MetadataVersion } from '../metadata/document.types';

export interface PromptDifference {
  /** Name of the recorded input. */
  readonly input: string;
  /** Excerpts of both prompts around the first difference. */
  readonly before: string;
  readonly after: string;
}

/** The plan for migrating one definition to a metadata version. */
export type RewritePlan =
  | { readonly status: 'current'; readonly from: MetadataVersion }
  | {
      readonly status: 'ready';
      readonly from: MetadataVersion;
      readonly to: MetadataVersion;
      /** Metadata, template and type are new; everything else is the old definition's. */
      readonly definition: Definition;
      /** Notes for the operator that do not block the migration. */
      readonly notes: readonly Problem[];
    }
  | {
      readonly status: 'refused';
      /** null when the stored document cannot be read at all. */
      readonly from: MetadataVersion | null;
      readonly problems: readonly Problem[];
      readonly differences: readonly PromptDifference[];
    };
