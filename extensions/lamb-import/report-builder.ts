import type { ErrorCode } from '@bellwether/kernel';
import type { LambOrganization, LambProblem, NotTaken } from '@bellwether/lamb-reader';

/** Codes of `notes`, `conflicts` and `left_out` of an import report: docs/reference/lamb-import.md explains each. */
export const NOTE_CODES = [
  'activity.assistants',
  'address.left_out',
  'address.mapped',
  'address.refused',
  'fast_model.left_out',
  'feature.left_out',
  'file.of_colleague',
  'function.target_missing',
  'gone_at_source',
  'knowledge_base.differs',
  'knowledge_base.none',
  'lti.key_missing',
  'lti.off',
  'lti.secret_missing',
  'members.published_only',
  'metadata.python',
  'metadata.unreadable',
  'models.cut',
  'models.left_out',
  'name.changed',
  'organization.system',
  'owner.disabled',
  'owner.disabled_replaced',
  'owner.replaced',
  'passwords.ambiguous',
  'passwords.taken',
  'provider.keyless',
  'provider.left_out',
  'provider.none',
  'provider.setting_left_out',
  'rubric.other_marks',
  'secret.left_out',
  'setting.inherited',
  'setting.left_out',
  'slug.changed',
  'slug.kept',
  'status.trial',
  'top_k.clamped',
  'user.address_kept',
  'user.merged',
  'user.placed',
  'user.returned',
  'user.system_admin',
] as const;
export type NoteCode = (typeof NOTE_CODES)[number];

export const CONFLICT_CODES = [
  'changed_on_both_sides',
  'deleted_here',
  'exists',
  'refused_here',
  'slug.taken',
] as const;
export type ConflictCode = (typeof CONFLICT_CODES)[number];

/** Reasons for items that were not imported. Failed organizations carry the code of their error instead. */
export const LEFT_OUT_CODES = [
  'activity.no_assistant',
  'assistant.deleted',
  'assistant.unstorable',
  'collection.id',
  'lti_person.ambiguous',
  'lti_person.nobody',
  'owner.missing',
  'rubric.invalid',
  'share.nobody',
  'template.unstorable',
  'user.address',
] as const;
type LeftOutCode = (typeof LEFT_OUT_CODES)[number];

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
  /** Organizations in the order of the source, without those that an interrupted import did not reach. */
  readonly organizations: readonly ImportedOrganization[];
  /** Counts of things that no import takes over, by kind. */
  readonly notTaken: NotTaken;
  /** Parts of the source file that could not be read. */
  readonly problems: readonly LambProblem[];
  /** The signal stopped the import before the last organization; the same command continues. */
  readonly interrupted: boolean;
}

export const KIND_NAMES: Readonly<Record<ItemKind, string>> = {
  organization: 'organization',
  user: 'users',
  member: 'memberships',
  assistant: 'assistants',
  share: 'shares',
  rubric: 'rubrics',
  prompt_template: 'prompt templates',
  collection: 'knowledge bases',
  file: 'files',
  activity: 'LTI activities',
  lti_key: 'LTI 1.1 keys',
  lti_person: 'LTI 1.1 people',
};

export interface ItemRef {
  readonly kind: ItemKind;
  readonly origin: string | number;
  readonly name: string | null;
}

/** Collects counts and notes about one organization. */
export class ReportBuilder {
  readonly organization: ItemRef;
  private readonly counts = Object.fromEntries(
    ITEM_KINDS.map((kind) => [kind, Object.fromEntries(ITEM_OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Record<ItemKind, Record<ItemOutcome, number>>;
  private readonly notes: ReportNote[] = [];
  private readonly conflicts: ReportNote[] = [];
  private readonly leftOut: ReportNote[] = [];
  private readonly unresolved = new Set<string>();
  private readonly missing = new Map<string, { assistants: number[]; reason: string }>();

  constructor(
    private readonly source: LambOrganization,
    private readonly slug: string,
  ) {
    this.organization = { kind: 'organization', origin: source.id, name: source.slug };
  }

  /** True when an item was created or updated. */
  get wrote(): boolean {
    return Object.values(this.counts).some(({ created, updated }) => created + updated > 0);
  }

  count(kind: ItemKind, outcome: ItemOutcome, number = 1): void {
    this.counts[kind][outcome] += number;
  }

  note(item: ItemRef, code: NoteCode, message: string): void {
    this.notes.push(noteOf(item, code, message));
  }

  conflict(item: ItemRef, code: ConflictCode, message: string): void {
    this.count(item.kind, 'conflict');
    this.conflicts.push(noteOf(item, code, message));
  }

  leaveOut(item: ItemRef, code: LeftOutCode | ErrorCode, message: string): void {
    this.count(item.kind, 'left_out');
    this.leftOut.push(noteOf(item, code, message));
  }

  /** Appends to the note about an item that was left out; false when there is none. */
  extendLeftOut({ kind, origin }: ItemRef, more: string): boolean {
    const index = this.leftOut.findIndex((note) => note.kind === kind && note.origin === String(origin));
    const note = this.leftOut[index];
    if (note === undefined) return false;
    this.leftOut[index] = { ...note, message: `${note.message}; ${more}` };
    return true;
  }

  missingFile(path: string, assistant: number, reason: string): void {
    const known = this.missing.get(path);
    if (known === undefined) {
      this.count('file', 'left_out');
      this.missing.set(path, { assistants: [assistant], reason });
    } else if (!known.assistants.includes(assistant)) known.assistants.push(assistant);
  }

  unresolvedAddress(url: string): void {
    this.unresolved.add(new URL(url).origin);
  }

  /** `outcome` overrides the one that follows from the counts. */
  build(
    assistants: ImportedOrganization['assistants'] = [],
    outcome: ImportedOrganization['outcome'] = this.outcome,
  ): ImportedOrganization {
    const { id, slug: originSlug, name } = this.source;
    return {
      origin: id,
      originSlug,
      slug: this.slug,
      name,
      outcome,
      counts: this.counts,
      assistants,
      notes: this.notes,
      conflicts: this.conflicts,
      leftOut: this.leftOut,
      missingFiles: [...this.missing].map(([path, rest]): MissingFile => ({ path, ...rest })),
      findings: [],
      unresolved: [...this.unresolved].sort(),
    };
  }

  private get outcome(): ImportedOrganization['outcome'] {
    if (this.counts.organization.created > 0) return 'created';
    return this.wrote ? 'updated' : 'unchanged';
  }
}

const noteOf = ({ kind, origin, name }: ItemRef, code: string, message: string): ReportNote => ({
  kind,
  origin: String(origin),
  name,
  code,
  message,
});
