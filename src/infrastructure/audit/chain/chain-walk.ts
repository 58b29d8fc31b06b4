import type { AuditChainEntity } from '../audit-chain.entity';
import type { AuditEntryEntity } from '../audit-entry.entity';
import { type ChainEntry, GENESIS, UNPROVEN, contentHash, entryHash, headMac, sameMac } from '../entry-hash';
import { ACCEPT, type Anchor, PRUNE, REDACT, announcedHashes, prunedAnchor } from './audit-chain-writer';

export const FINDING_KINDS = ['changed', 'forged', 'missing', 'not_written_here', 'unknown_key', 'head'] as const;
type FindingKind = (typeof FINDING_KINDS)[number];

/** One place where the log is not what was sealed. */
interface ChainFinding {
  readonly kind: FindingKind;
  /** Number of the entry, or of the first missing one; null for the head of the chain. */
  readonly sequence: number | null;
  readonly entry_id: string | null;
  readonly message: string;
}

/** A change or an acceptance of an entry that a later entry announces. */
interface AnnouncedRedaction {
  readonly sequence: number;
  readonly entry_id: string;
  /** Sequence of the entry that announces it. */
  readonly announced_by: number;
}

export interface ChainResult {
  readonly entries: number;
  readonly first_sequence: number | null;
  readonly last_sequence: number | null;
  /** Hash of the last entry. */
  readonly head: string | null;
  readonly redactions: readonly AnnouncedRedaction[];
  /** Entries that the service did not write, and that an operator accepted on the record. */
  readonly accepted: readonly AnnouncedRedaction[];
  /** Entries up to this one were pruned by an announced retention. */
  readonly pruned_through: number | null;
  readonly findings: readonly ChainFinding[];
  readonly more_findings: number;
}

interface ChangedContent {
  readonly id: string;
  readonly sequence: number;
  readonly hash: string;
}

/** Announced hashes by entry id, in the order of the announcements. */
type Announcements = Map<string, { readonly hash: string; readonly sequence: number }[]>;

function note(announcements: Announcements, after: unknown, sequence: number): void {
  for (const [id, hash] of announcedHashes(after)) {
    announcements.set(id, [...(announcements.get(id) ?? []), { hash, sequence }]);
  }
}

/** A report stays readable when every entry of a large log is wrong. */
const MOST_FINDINGS = 100;

const range = (first: number, last: number): string =>
  first === last ? `Entry ${first} is` : `Entries ${first} to ${last} are`;

/** Checks entries one after the other, in the order of their sequence. Pure: no database. */
export class ChainWalk {
  private readonly findings: ChainFinding[] = [];
  private more = 0;
  private readonly changed: ChangedContent[] = [];
  private readonly unproven: ChangedContent[] = [];
  private readonly redactions: Announcements = new Map();
  private readonly acceptances: Announcements = new Map();
  private readonly anchors: Anchor[] = [];
  private entries = 0;
  private first: Anchor | null = null;
  private last: Anchor | null = null;
  private lastIsSound = false;

  /** `noted` is an end of the chain that somebody kept elsewhere. */
  constructor(
    private readonly key: { readonly kid: string; readonly key: Buffer },
    private readonly noted: Anchor | null = null,
  ) {}

  get position(): number {
    return this.last?.sequence ?? 0;
  }

  visit(entry: AuditEntryEntity): void {
    const { id, sequence, previousHash, contentHash: sealed, hash } = entry;
    if (sequence === null || previousHash === null || sealed === null || hash === null) return;
    this.entries += 1;
    const linked = this.follows(entry, sequence, previousHash);
    const sound = this.hasSoundSeal(entry, { sequence, previousHash, contentHash: sealed });
    if (sound && !linked) {
      this.report('forged', sequence, id, `Entry ${sequence} does not follow the entry before it`);
    } else if (sound) this.readContent(entry, sequence, sealed);
    if (this.noted?.sequence === sequence && this.noted.hash !== hash) {
      this.report(
        'head',
        sequence,
        id,
        `Entry ${sequence} is not the one of the given head: an older state was restored`,
      );
    }
    this.last = { sequence, hash };
    this.lastIsSound = sound;
  }

  result(head: AuditChainEntity | null): ChainResult {
    this.checkBeginning();
    this.checkHead(head);
    const redactions = this.checkChanged();
    const accepted = this.checkUnproven();
    return {
      entries: this.entries,
      first_sequence: this.first === null ? null : this.first.sequence + 1,
      last_sequence: this.last?.sequence ?? null,
      head: this.last?.hash ?? null,
      redactions,
      accepted,
      pruned_through: this.first !== null && this.first.sequence > 0 ? this.first.sequence : null,
      findings: this.findings.sort((one, other) => (one.sequence ?? Infinity) - (other.sequence ?? Infinity)),
      more_findings: this.more,
    };
  }

  /** False when the entry before it is another one than the one that it was chained to. */
  private follows({ id }: AuditEntryEntity, sequence: number, previousHash: string): boolean {
    if (this.last === null) {
      this.first = { sequence: sequence - 1, hash: previousHash };
      return true;
    }
    const expected = this.last.sequence + 1;
    if (sequence > expected) {
      this.report('missing', expected, null, `${range(expected, sequence - 1)} missing`);
      return true;
    }
    if (sequence < expected) {
      this.report('forged', sequence, id, `There are two entries ${sequence}`);
      return true;
    }
    // A changed hash is reported where it is, not once more at the next entry.
    return previousHash === this.last.hash || !this.lastIsSound;
  }

  private hasSoundSeal(entry: AuditEntryEntity, seal: ChainEntry): boolean {
    const { sequence } = seal;
    if (entry.keyId !== this.key.kid) {
      const message = `Entry ${sequence} was sealed with the key ${entry.keyId ?? ''}, which is missing`;
      this.report('unknown_key', sequence, entry.id, message);
      return false;
    }
    if (sameMac(entryHash(this.key.key, entry, seal), entry.hash)) return true;
    this.report('forged', sequence, entry.id, `The seal of entry ${sequence} does not fit its hashes`);
    return false;
  }

  private readContent(entry: AuditEntryEntity, sequence: number, sealed: string): void {
    const actual = contentHash(this.key.key, entry);
    if (sealed === UNPROVEN) {
      this.unproven.push({ id: entry.id, sequence, hash: actual });
      return;
    }
    if (!sameMac(sealed, actual)) {
      this.changed.push({ id: entry.id, sequence, hash: actual });
      return;
    }
    if (entry.action === REDACT) note(this.redactions, entry.after, sequence);
    if (entry.action === ACCEPT) note(this.acceptances, entry.after, sequence);
    const anchor = entry.action === PRUNE ? prunedAnchor(entry.after) : null;
    if (anchor !== null) this.anchors.push(anchor);
  }

  private checkChanged(): AnnouncedRedaction[] {
    const announced: AnnouncedRedaction[] = [];
    for (const { id, sequence, hash } of this.changed) {
      // Only the newest announcement counts: an older one fits a content that was redacted further.
      const note = this.redactions.get(id)?.at(-1);
      if (note?.hash === hash) announced.push({ sequence, entry_id: id, announced_by: note.sequence });
      else this.report('changed', sequence, id, `The content of entry ${sequence} was changed after it was sealed`);
    }
    return announced;
  }

  /** An acceptance names the content: it excuses no other change, except a later redaction. */
  private checkUnproven(): AnnouncedRedaction[] {
    const accepted: AnnouncedRedaction[] = [];
    for (const { id, sequence, hash } of this.unproven) {
      const note = this.acceptances.get(id)?.at(-1);
      const redacted = this.redactions.get(id)?.at(-1);
      if (note !== undefined && (redacted ?? note).hash === hash) {
        accepted.push({ sequence, entry_id: id, announced_by: note.sequence });
        continue;
      }
      const message = `Entry ${sequence} was not written by the service, or was changed before it was sealed`;
      this.report('not_written_here', sequence, id, message);
    }
    return accepted;
  }

  private checkBeginning(): void {
    const { first } = this;
    if (first === null) return;
    if (first.sequence === 0) {
      if (first.hash !== GENESIS) this.report('forged', 1, null, 'The first entry follows another one');
    } else if (!this.anchors.some(({ sequence, hash }) => sequence === first.sequence && hash === first.hash)) {
      this.report('missing', 1, null, `${range(1, first.sequence)} missing, and no entry announces their removal`);
    }
  }

  private checkHead(head: AuditChainEntity | null): void {
    const end = this.last ?? { sequence: 0, hash: GENESIS };
    if (this.noted !== null && this.noted.sequence > end.sequence) {
      this.report(
        'head',
        null,
        null,
        `The given head is entry ${this.noted.sequence}, but the chain ends at ${end.sequence}`,
      );
    }
    if (head === null) {
      if (this.entries > 0) this.report('head', null, null, 'The record of the end of the chain is missing');
    } else if (head.keyId !== this.key.kid) {
      this.report(
        'unknown_key',
        null,
        null,
        `The end of the chain was signed with the key ${head.keyId}, which is missing`,
      );
    } else if (!sameMac(headMac(this.key.key, head), head.mac)) {
      this.report('head', null, null, 'The record of the end of the chain was changed');
    } else if (head.sequence > end.sequence) {
      this.report('missing', end.sequence + 1, null, `${range(end.sequence + 1, head.sequence)} missing`);
    } else if (head.sequence < end.sequence || (head.hash !== end.hash && this.lastIsSound)) {
      this.report('head', null, null, `The chain should end at entry ${head.sequence}`);
    }
  }

  private report(kind: FindingKind, sequence: number | null, entryId: string | null, message: string): void {
    if (this.findings.length >= MOST_FINDINGS) this.more += 1;
    else this.findings.push({ kind, sequence, entry_id: entryId, message });
  }
}
