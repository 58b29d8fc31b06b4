import type { LambProblem, LambSource } from './source/lamb-source.types';

export const ARRIVAL_KINDS = [
  'organization',
  'user',
  'member',
  'assistant',
  'share',
  'rubric',
  'prompt_template',
  'collection',
  'file',
] as const;
export type ArrivalKind = (typeof ARRIVAL_KINDS)[number];

/**
 * What became of one thing of the source. `conflict`: it was changed on both sides, or something of that name is here
 * already; ours was kept. `left_out`: it could not or should not be taken over, the reason stands beside it.
 */
export const ARRIVAL_OUTCOMES = ['created', 'updated', 'unchanged', 'conflict', 'left_out'] as const;
export type ArrivalOutcome = (typeof ARRIVAL_OUTCOMES)[number];

export type ArrivalCounts = Readonly<Record<ArrivalOutcome, number>>;

/** A sentence about one thing of the source. */
export interface ArrivalNote {
  readonly kind: ArrivalKind;
  /** Its primary key in the source. */
  readonly origin: string;
  /** What people know it by; null when it has no name. */
  readonly name: string | null;
  /** Stable, e.g. `top_k.clamped`. */
  readonly code: string;
  /** Never holds a secret or content. */
  readonly message: string;
}

/** A file of the source that an assistant reads and that is not here. */
export interface MissingFile {
  /** As the assistant names it, relative to the source's public folder. */
  readonly path: string;
  /** Primary keys of the source's assistants. */
  readonly assistants: readonly number[];
  readonly reason: string;
}

export interface ImportedOrganization {
  /** Primary key in the source. */
  readonly origin: number;
  readonly originSlug: string;
  /** Ours: the source's slug made valid. */
  readonly slug: string;
  readonly name: string;
  /** `failed` and `conflict`: nothing of this organization was written. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'conflict' | 'failed';
  readonly counts: Readonly<Record<ArrivalKind, ArrivalCounts>>;
  /** Old and new ids; `id` is null for what a dry run would create. */
  readonly assistants: readonly { readonly origin: number; readonly id: number | null; readonly name: string }[];
  /** Values that were changed on the way in. */
  readonly notes: readonly ArrivalNote[];
  readonly conflicts: readonly ArrivalNote[];
  readonly leftOut: readonly ArrivalNote[];
  readonly missingFiles: readonly MissingFile[];
}

export interface ImportReport {
  readonly source: string;
  readonly dryRun: boolean;
  /** In the order of the source; those that an interrupted import did not reach are not among them. */
  readonly organizations: readonly ImportedOrganization[];
  /** What the reader of the file could not read. */
  readonly problems: readonly LambProblem[];
  /** The signal came before the last organization; a repetition continues. */
  readonly interrupted: boolean;
}

export interface ImportProgress {
  report(step: { readonly done: number; readonly total: number; readonly text: string }): void;
}

export interface ImportOptions {
  /** LAMB's `static/public` folder; null: files of single-file assistants are only listed. */
  readonly files: string | null;
  /** Everything is tried and nothing is kept. */
  readonly dryRun: boolean;
  /** Tells several installations apart; a repetition under the same name updates what came before. */
  readonly sourceName: string;
  /** The source's slug of the only organization to take; null for all. */
  readonly organization: string | null;
  readonly progress: ImportProgress;
  /** Ends the import after the organization in hand. */
  readonly signal: AbortSignal;
}

/**
 * What `LambImport` does.
 * @throws AppError `conflict` while another import runs; `not_found` when `organization` is not in the source.
 */
export interface LambImporter {
  run(source: LambSource, options: ImportOptions): Promise<ImportReport>;
}
