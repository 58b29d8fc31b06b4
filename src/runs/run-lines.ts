import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { AppError, uuidv7 } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../infrastructure/database';
import { type SignedReceipt, merklePath, merkleRoot, sha256 } from './receipts';
import { type SegmentEntry, deletedEntry, leafOf, lineText, proofOf, readEntry } from './run-line';
import type { CheckedSegment } from './run-log-check';
import { type MadeSeal, RunReceipts, type UnsignedReceipt } from './run-receipts.service';
import { bareRecord } from './run-record';
import type { RunEntity } from './run.entity';
import { RunSegmentRepository, type SegmentRow } from './run-segment.repository';
import type { LinePlace, NewSegment } from './run-sql';
import type { RunRecord } from './run.types';

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);

const SALT_BYTES = 16;
/** Lines repeat each other: the fastest level is near the best one. */
const DEFLATE = { level: 1 };
/** Characters of the lines of a segment; a longer line has a segment of its own. */
const SEGMENT_CHARS = 1_024 * 1_024;
/** Segments that one line of the service's log names. */
const TOLD = 10;
/** Bytes of inflated segments in memory. */
const CACHED_BYTES = 8 * 1_024 * 1_024;

interface Head {
  readonly number: number;
  readonly root: string;
}

/** The seals of one writer in order, by organization. The writer writes one batch after the other. */
export class SealChain {
  readonly id = uuidv7();
  private readonly heads = new Map<string, Head>();

  head(organizationId: string): Head | undefined {
    return this.heads.get(organizationId);
  }

  /** Seals that were stored. */
  extend(segments: readonly NewSegment[]): void {
    for (const { organizationId, number, root } of segments) this.heads.set(organizationId, { number, root });
  }
}

/** Ended runs with the segments that hold their lines. */
export interface SealedRuns {
  readonly records: readonly RunRecord[];
  readonly segments: readonly NewSegment[];
  readonly places: ReadonlyMap<string, LinePlace>;
}

/** A run whose line is in a segment. */
export interface StoredRun extends LinePlace {
  readonly id: string;
}

/** A row, with the place of its line if it has one. */
export type FoundLine = Pick<RunEntity, 'id' | 'segmentId' | 'segmentPosition'>;

export const hasLine = (run: FoundLine): run is FoundLine & StoredRun =>
  run.segmentId !== null && run.segmentPosition !== null;

/** Deletes the texts of runs and keeps their receipts. */
export interface LineEmptier {
  /** False while the key of receipts cannot be read: the lines stay then, and their runs must stay as they are. */
  readonly isReady: boolean;
  /** @throws AppError `secret_unavailable` unless it is ready */
  readonly empty: (runs: readonly StoredRun[], tx: Transaction) => Promise<void>;
}

interface LockedLine {
  /** The run. */
  readonly id: string;
  readonly entry: string;
  readonly leaves: readonly string[];
  readonly position: number;
  readonly seal: MadeSeal;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** The lines of ended runs: seals them in batches, reads one, and deletes what retention and erasures ask for. */
@Injectable()
export class RunLines {
  private readonly logger = new Logger('Runs');
  private readonly inflated = new LRUCache<string, readonly string[]>({
    maxSize: CACHED_BYTES,
    sizeCalculation: (entries) => entries.reduce((sum, { length }) => sum + length, 1),
  });

  constructor(
    private readonly segments: RunSegmentRepository,
    private readonly receipts: RunReceipts,
  ) {}

  /** Nothing is stored yet. One signature per organization, however many runs. */
  async seal(records: readonly RunRecord[], chain: SealChain): Promise<SealedRuns> {
    const groups = grouped(records, ({ organizationId, callerOrganizationId }) =>
      callerOrganizationId === null ? organizationId : `${organizationId} ${callerOrganizationId}`,
    );
    const places = new Map<string, LinePlace>();
    const segments: NewSegment[] = [];
    // Segments of one organization follow each other in the chain, before they are stored.
    const heads = new Map<string, Head>();
    for (const part of [...groups.values()].flatMap(readableParts)) {
      const segment = await this.segmentOf(part, chain, heads);
      segments.push(segment);
      heads.set(segment.organizationId, segment);
      for (const [at, { record }] of part.entries())
        places.set(record.id, { segmentId: segment.id, segmentPosition: at });
    }
    return { records, segments, places };
  }

  /** The entry of a stored run; null when its segment is gone. */
  async read({ segmentId, segmentPosition }: LinePlace): Promise<SegmentEntry | null> {
    const entries = this.inflated.get(segmentId) ?? (await this.load(segmentId)).entries;
    const entry = entries[segmentPosition];
    return entry === undefined ? null : readEntry(entry);
  }

  /** Null for a run that was erased, and for a segment that no longer fits its seal. @throws AppError `secret_unavailable` */
  async receipt({ id, segmentId, segmentPosition }: StoredRun): Promise<SignedReceipt | null> {
    const { entries, row } = await this.load(segmentId);
    const entry = entries[segmentPosition];
    if (entry === undefined || row === null) return null;
    const leaves = entries.map(leafOf);
    if (merkleRoot(leaves) !== row.root) {
      this.logger.error({ msg: 'a segment of runs does not fit its seal', segment_id: segmentId, run_id: id });
      return null;
    }
    const read = readEntry(entry);
    const place = { line: read.leaf, position: segmentPosition, path: merklePath(leaves, segmentPosition) };
    const { id: _id, body: _body, ...seal } = row;
    if ('line' in read) return this.receipts.issue({ runId: id, proof: proofOf(read.line), place, seal });
    if (read.receipt === null) return null;
    return this.receipts.kept({ runId: id, proof: read.receipt, place, seal }, read.receipt);
  }

  /** All segments of an organization, oldest first. */
  async *every(organizationId: string): AsyncGenerator<CheckedSegment> {
    let after: string | null = null;
    do {
      const rows = await this.segments.page(organizationId, after);
      for (const { id, body, signature, key_id: keyId, ...seal } of rows) {
        const signed = { ...seal, signature: signature ?? '', key_id: keyId ?? '' };
        yield { id, seal: signed, entries: await entriesIn(body) };
      }
      after = rows.at(-1)?.id ?? null;
    } while (after !== null);
  }

  /** Segments that runs of an organization name and the log does not have. */
  lost(organizationId: string): Promise<string[]> {
    return this.segments.lost(organizationId);
  }

  /** The receipt in a row of an earlier release. @throws AppError `secret_unavailable` */
  async earlierReceipt(text: string): Promise<SignedReceipt> {
    const stored = JSON.parse(text) as SignedReceipt | UnsignedReceipt;
    return stored.signature === null ? this.receipts.signLater(stored) : stored;
  }

  /**
   * Makes the receipts of runs before it deletes their texts. Ask for it before the transaction: on the embedded engine no
   * other statement runs during one.
   */
  async emptier(): Promise<LineEmptier> {
    const signer = await this.receipts.signer();
    if (signer === null)
      this.logger.error({ msg: 'contents of runs stay beyond their time: the key of receipts cannot be read' });
    const empty: LineEmptier['empty'] = (runs, tx) =>
      this.rewrite(runs, tx, async ({ entry, leaves, position, seal, id }) => {
        const read = readEntry(entry);
        if (!('line' in read)) return entry;
        if (signer === null) throw new AppError('secret_unavailable', 'The key of receipts cannot be read');
        const place = { line: read.leaf, position, path: merklePath(leaves, position) };
        return deletedEntry(
          read.leaf,
          await this.receipts.keep(signer, { runId: id, proof: proofOf(read.line), place, seal }),
        );
      });
    return { isReady: signer !== null, empty };
  }

  /** Deletes everything about runs but the digests that the receipts of others need. */
  async forget(runs: readonly StoredRun[], tx: Transaction): Promise<void> {
    await this.rewrite(runs, tx, ({ entry }) => Promise.resolve(deletedEntry(leafOf(entry), null)));
  }

  private async rewrite(
    runs: readonly StoredRun[],
    tx: Transaction,
    change: (line: LockedLine) => Promise<string>,
  ): Promise<void> {
    if (runs.length === 0) return;
    const bySegment = grouped(runs, ({ segmentId }) => segmentId);
    const rows = await this.segments.lock([...bySegment.keys()], tx);
    this.tellLost([...bySegment.keys()], rows);
    const bodies: (Buffer | null)[] = [];
    for (const { id, body, ...seal } of rows) {
      const entries = await entriesIn(body);
      const leaves = entries.map(leafOf);
      for (const run of bySegment.get(id) ?? []) {
        const position = run.segmentPosition;
        const entry = entries[position];
        if (entry !== undefined) entries[position] = await change({ id: run.id, entry, leaves, position, seal });
      }
      const isGone = entries.every((entry, at) => entry === deletedEntry(leaves[at] ?? '', null));
      bodies.push(isGone ? null : await bodyOf(entries));
      this.inflated.delete(id);
    }
    await this.segments.rewrite(
      rows.map(({ id }) => id),
      bodies,
      tx,
    );
  }

  /** Row-level security hides the segments of an organization that the transaction is not for. */
  private tellLost(wanted: readonly string[], rows: readonly SegmentRow[]): void {
    const found = new Set(rows.map(({ id }) => id));
    const lost = wanted.filter((id) => !found.has(id));
    if (lost.length === 0) return;
    const msg = 'lines of runs could not be deleted: their segments are hidden or missing';
    this.logger.error({ msg, count: lost.length, segment_ids: lost.slice(0, TOLD) });
  }

  private async load(id: string): Promise<{ readonly entries: readonly string[]; readonly row: SegmentRow | null }> {
    const row = await this.segments.find(id);
    if (row === null) return { entries: [], row: null };
    const entries = await entriesIn(row.body);
    this.inflated.set(id, entries);
    return { entries, row };
  }

  private async segmentOf(
    part: readonly WrittenLine[],
    chain: SealChain,
    heads: ReadonlyMap<string, Head>,
  ): Promise<NewSegment> {
    const [{ record }] = part as readonly [WrittenLine];
    const { organizationId, callerOrganizationId } = record;
    const lines = part.map(({ line }) => line);
    const head = heads.get(organizationId) ?? chain.head(organizationId);
    const seal = await this.receipts.seal({
      chain: chain.id,
      number: head === undefined ? 0 : head.number + 1,
      root: merkleRoot(lines.map(sha256)),
      // A new chain goes on from the newest seal of the organization, by whichever writer.
      previous_root: head?.root ?? (await this.segments.newestRoot(organizationId)),
      count: part.length,
      sealed_at: new Date().toISOString(),
    });
    return {
      id: uuidv7(),
      organizationId,
      callerOrganizationId,
      body: await bodyOf(lines),
      count: seal.count,
      chain: seal.chain,
      number: seal.number,
      root: seal.root,
      previousRoot: seal.previous_root,
      signature: seal.signature,
      keyId: seal.key_id,
      sealedAt: seal.sealed_at,
    };
  }
}

interface WrittenLine {
  readonly record: RunRecord;
  readonly line: string;
}

/** Readers of one run inflate its whole segment. */
function readableParts(group: readonly RunRecord[]): WrittenLine[][] {
  const salts = randomBytes(SALT_BYTES * group.length);
  const parts: WrittenLine[][] = [];
  let chars = 0;
  for (const [at, record] of group.entries()) {
    const line = safeLine(record, salts.toString('base64url', at * SALT_BYTES, (at + 1) * SALT_BYTES));
    const part = parts.at(-1);
    chars += line.length;
    if (part !== undefined && chars <= SEGMENT_CHARS) part.push({ record, line });
    else {
      parts.push([{ record, line }]);
      chars = line.length;
    }
  }
  return parts;
}

/** A line cannot hold a newline: JSON escapes it. */
const bodyOf = (entries: readonly string[]): Promise<Buffer> => deflate(Buffer.from(entries.join('\n')), DEFLATE);

/** The entries of a stored body. */
export const entriesIn = async (body: Buffer | null): Promise<string[]> =>
  body === null ? [] : (await inflate(body)).toString('utf8').split('\n');

/** A record that cannot be written as JSON keeps its identity and outcome. */
function safeLine(record: RunRecord, salt: string): string {
  try {
    return lineText(record, salt);
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
    const { ending: _ending, ...bare } = bareRecord({ ...record, events: [] });
    return lineText(bare, salt);
  }
}
