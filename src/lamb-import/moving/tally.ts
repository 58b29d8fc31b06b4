import {
  ARRIVAL_KINDS,
  ARRIVAL_OUTCOMES,
  type ArrivalCounts,
  type ArrivalKind,
  type ArrivalNote,
  type ArrivalOutcome,
  type ImportedOrganization,
  type MissingFile,
} from '../import.types';

type Told = Pick<ImportedOrganization, 'counts' | 'notes' | 'conflicts' | 'leftOut' | 'missingFiles'>;

/** Whom a sentence is about. */
export interface About {
  readonly kind: ArrivalKind;
  readonly origin: string | number;
  readonly name: string | null;
}

/** Counts and sentences of one organization's import. */
export class Tally {
  private readonly counts = Object.fromEntries(
    ARRIVAL_KINDS.map((kind) => [kind, Object.fromEntries(ARRIVAL_OUTCOMES.map((outcome) => [outcome, 0]))]),
  ) as Record<ArrivalKind, Record<ArrivalOutcome, number>>;
  private readonly notes: ArrivalNote[] = [];
  private readonly conflicts: ArrivalNote[] = [];
  private readonly leftOut: ArrivalNote[] = [];
  private readonly missing = new Map<string, { assistants: number[]; reason: string }>();

  count(kind: ArrivalKind, outcome: ArrivalOutcome): void {
    this.counts[kind][outcome] += 1;
  }

  note(about: About, code: string, message: string): void {
    this.notes.push(noteOf(about, code, message));
  }

  conflict(about: About, code: string, message: string): void {
    this.count(about.kind, 'conflict');
    this.conflicts.push(noteOf(about, code, message));
  }

  leave(about: About, code: string, message: string): void {
    this.count(about.kind, 'left_out');
    this.leftOut.push(noteOf(about, code, message));
  }

  missingFile(path: string, assistant: number, reason: string): void {
    const known = this.missing.get(path);
    if (known === undefined) {
      this.count('file', 'left_out');
      this.missing.set(path, { assistants: [assistant], reason });
    } else if (!known.assistants.includes(assistant)) known.assistants.push(assistant);
  }

  /** True when something was made or changed. */
  get wrote(): boolean {
    return Object.values(this.counts).some(({ created, updated }) => created + updated > 0);
  }

  told(): Told {
    return {
      counts: this.counts satisfies Record<ArrivalKind, ArrivalCounts>,
      notes: this.notes,
      conflicts: this.conflicts,
      leftOut: this.leftOut,
      missingFiles: [...this.missing].map(([path, rest]): MissingFile => ({ path, ...rest })),
    };
  }
}

const noteOf = ({ kind, origin, name }: About, code: string, message: string): ArrivalNote => ({
  kind,
  origin: String(origin),
  name,
  code,
  message,
});
