import type { NotTaken } from '../source/lamb-source.types';
import type { LambProblem } from '../source/problem.types';

export const ITEM_KINDS = [
  'organization',
  'user',
  'member',
  'assistant',
  'share',
  'rubric',
  'prompt_template',
  'collection',
  'file',
  'activity',
  'lti_key',
  'lti_person',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** `conflict`: the stored item was kept. `left_out`: the item was not imported. A note gives the reason of both. */
export const ITEM_OUTCOMES = ['created', 'updated', 'unchanged', 'conflict', 'left_out'] as const;
export type ItemOutcome = (typeof ITEM_OUTCOMES)[number];

export type ItemCounts = Readonly<Record<ItemOutcome, number>>;

export interface ReportNote {
  readonly kind: ItemKind;
  /** Primary key at the source. */
  readonly origin: string;
  readonly name: string | null;
  /** Stable: a code of import-codes.ts, of a diagnostic (`findings`), or of the error that stopped everything. */
  readonly code: string;
  /** Never holds a secret or content. */
  readonly message: string;
}

/** A file that an assistant of the source reads and that was not imported. */
export interface MissingFile {
  /** Relative to the source's public folder, as the assistant names it. */
  readonly path: string;
  /** Primary keys at the source. */
  readonly assistants: readonly number[];
  readonly reason: string;
}

export interface ImportedOrganization {
  /** Primary key at the source. */
  readonly origin: number;
  readonly originSlug: string;
  /** Slug here. */
  readonly slug: string;
  readonly name: string;
  /** `failed` and `conflict`: nothing of this organization was written. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'conflict' | 'failed';
  readonly counts: Readonly<Record<ItemKind, ItemCounts>>;
  /** Old and new ids; `id` is null for what a dry run would create. */
  readonly assistants: readonly { readonly origin: number; readonly id: number | null; readonly name: string }[];
  readonly notes: readonly ReportNote[];
  readonly conflicts: readonly ReportNote[];
  readonly leftOut: readonly ReportNote[];
  readonly missingFiles: readonly MissingFile[];
  /** Imported assistants that can do less here. Empty in a dry run, which stores nothing to check. */
  readonly findings: readonly ReportNote[];
  /** Origins of URLs in its settings whose host name does not resolve here, e.g. `http://kb:9090`. */
  readonly unresolved: readonly string[];
}

export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  /** In the order of the source, without those that an interrupted import did not reach. */
  readonly organizations: readonly ImportedOrganization[];
  /** Counts of things that no import takes over, by kind. */
  readonly notTaken: NotTaken;
  /** Parts of the source file that could not be read. */
  readonly problems: readonly LambProblem[];
  /** The signal stopped the import before the last organization; the same command continues. */
  readonly interrupted: boolean;
}
