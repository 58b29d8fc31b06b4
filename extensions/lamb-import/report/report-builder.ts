import type { ErrorCode } from '../../../src/kernel';
import type { LambOrganization } from '../source/lamb-source.types';
import type { ConflictCode, LeftOutCode, NoteCode } from './import-codes';
import {
  type ImportedOrganization,
  ITEM_KINDS,
  ITEM_OUTCOMES,
  type ItemKind,
  type ItemOutcome,
  type MissingFile,
  type ReportNote,
} from './report.types';

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
