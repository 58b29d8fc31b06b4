import { AppError } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { batches } from '../infrastructure/database';
import type { BlobSpace, StorageName } from './places/blob-storage.types';
import { BlobStore } from './storage/blob-store';

/** A blob as its row describes it. */
export interface HeldBlob {
  /** Id of the row. */
  readonly id: string;
  readonly space: BlobSpace;
  readonly name: string;
  /** Bytes of the upload. A document that was too large is stored in part. */
  readonly size: number;
  readonly sha256: string;
}

export type BlobCursor = Pick<HeldBlob, 'id' | 'name'>;

export interface BlobTotals {
  readonly files: number;
  readonly bytes: number;
}

/** Rows of one kind that hold blobs, of every organization. */
export interface BlobHolder {
  totals(place: StorageName): Promise<BlobTotals>;
  /** Blobs of a place in the order of row id and name, after a cursor. */
  page(place: StorageName, after: BlobCursor | null, limit: number): Promise<readonly HeldBlob[]>;
  /** Replaces the name in the row (compare and swap). False when the row no longer has the old name. */
  rename(blob: HeldBlob, name: string): Promise<boolean>;
  isHeld(blob: HeldBlob): Promise<boolean>;
}

const PAGE_SIZE = 200;

/** Registry of the kinds of rows that hold blobs. Modules register theirs at start. */
@Injectable()
export class BlobHolders {
  private readonly all: BlobHolder[] = [];

  register(holder: BlobHolder): void {
    this.all.push(holder);
  }

  async totals(place: StorageName): Promise<BlobTotals> {
    const each = await Promise.all(this.all.map((holder) => holder.totals(place)));
    return {
      files: each.reduce((sum, { files }) => sum + files, 0),
      bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async *pages(
    place: StorageName,
  ): AsyncGenerator<{ readonly holder: BlobHolder; readonly blobs: readonly HeldBlob[] }> {
    for (const holder of this.all) {
      let after: BlobCursor | null = null;
      for (;;) {
        const blobs: readonly HeldBlob[] = await holder.page(place, after, PAGE_SIZE);
        if (blobs.length > 0) yield { holder, blobs };
        if (blobs.length < PAGE_SIZE) break;
        after = blobs.at(-1) ?? null;
      }
    }
  }
}

/** Above every limit of an upload. */
const MAX_BYTES = 1024 * 1024 * 1024;
/** Each holds a whole file in memory. */
const AT_ONCE = 4;
/** Consecutive failures after which the place counts as unreachable and the move stops. */
const MOST_FAILURES = 10;
/** Files that are named one by one. */
const MOST_NAMED = 20;

/** `gone`: a person deleted or replaced it meanwhile, or another move took it. `missing`: its row has no bytes. */
type Outcome = 'moved' | 'gone' | 'missing' | 'damaged' | 'failed';

export interface BlobTrouble {
  readonly outcome: Exclude<Outcome, 'moved' | 'gone'>;
  /** Area, organization, holder and name: the path below `DATA_DIR`, or the key after the prefix. */
  readonly path: string;
  readonly reason: string;
}

export interface MoveReport {
  /** False after an interruption, or when the place stopped answering. */
  readonly complete: boolean;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly bytes: number;
  /** The first ones. */
  readonly troubles: readonly BlobTrouble[];
  /** Still at the old place. */
  readonly left: BlobTotals;
}

export interface MoveControl {
  readonly signal: AbortSignal;
  readonly report: (done: number, total: number) => void;
}

export const otherStorage = (to: StorageName): StorageName => (to === 's3' ? 'disk' : 's3');
export const pathOf = ({ space, name }: HeldBlob): string => [...space, name].join('/');

/**
 * Moves blobs to another place while the service answers. For each blob: write it there under a new name, read it back,
 * compare and swap the name in the row, remove the old bytes. The swap makes a move safe to kill, to repeat and to run
 * several times at once. The sweep removes copies that a killed move left.
 */
@Injectable()
export class BlobMove {
  private readonly log = new Logger('Files');

  constructor(
    private readonly holders: BlobHolders,
    private readonly blobs: BlobStore,
  ) {}

  /** Number and bytes of the blobs that a move to this place would copy. */
  waiting(to: StorageName): Promise<BlobTotals> {
    return this.holders.totals(otherStorage(to));
  }

  async move(to: StorageName, { signal, report }: MoveControl): Promise<MoveReport> {
    const from = otherStorage(to);
    const { files: total } = await this.holders.totals(from);
    const run = new MoveRun();
    for await (const { holder, blobs } of this.holders.pages(from)) {
      for (const some of batches(blobs, AT_ONCE)) {
        if (signal.aborted || run.isHopeless) return run.report(false, await this.holders.totals(from));
        await Promise.all(some.map(async (blob) => run.count(blob, await this.moveOne(holder, blob, to))));
        // Uploads during the move would make it exceed the total.
        report(Math.min(run.done, total), total);
      }
    }
    return run.report(true, await this.holders.totals(from));
  }

  private async moveOne(holder: BlobHolder, blob: HeldBlob, to: StorageName): Promise<Result> {
    let bytes: Buffer;
    try {
      bytes = await this.blobs.read(blob.space, blob.name, MAX_BYTES);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') return failed(error);
      return (await holder.isHeld(blob)) ? { outcome: 'missing', reason: 'no bytes are stored' } : { outcome: 'gone' };
    }
    if (isDamaged(blob, bytes)) return { outcome: 'damaged', reason: 'its SHA-256 is not that of the upload' };
    try {
      return await this.exchange(holder, blob, bytes, to);
    } catch (error) {
      return failed(error);
    }
  }

  private async exchange(holder: BlobHolder, blob: HeldBlob, bytes: Buffer, to: StorageName): Promise<Result> {
    const name = await this.blobs.put(blob.space, bytes, to);
    const written = await this.blobs.read(blob.space, name, bytes.length).catch(() => null);
    if (written === null || !written.equals(bytes)) {
      await this.blobs.discard(blob.space, [name]);
      return { outcome: 'failed', reason: 'it could not be read back' };
    }
    // After an error the commit may still have happened: keep the new bytes. The sweep removes them if no row names them.
    const isRenamed = await holder.rename(blob, name);
    await this.blobs.discard(blob.space, [isRenamed ? blob.name : name]);
    if (!isRenamed) return { outcome: 'gone' };
    this.log.debug({ msg: 'a file was moved', to, path: pathOf(blob), name });
    return { outcome: 'moved', bytes: bytes.length };
  }
}

interface Result {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly bytes?: number;
}

const failed = (error: unknown): Result => ({
  outcome: 'failed',
  reason: error instanceof AppError ? error.detail : 'see the log',
});

/** A document that was too large is stored in part: its SHA-256 is that of the whole. */
const isDamaged = ({ size, sha256 }: HeldBlob, bytes: Buffer): boolean =>
  bytes.length > size || (bytes.length === size && createHash('sha256').update(bytes).digest('hex') !== sha256);

class MoveRun {
  private readonly counts = { moved: 0, gone: 0, missing: 0, damaged: 0, failed: 0 };
  private readonly troubles: BlobTrouble[] = [];
  private bytes = 0;
  private failuresInRow = 0;

  get done(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count);
  }

  get isHopeless(): boolean {
    return this.failuresInRow >= MOST_FAILURES;
  }

  count(blob: HeldBlob, { outcome, reason = '', bytes = 0 }: Result): void {
    this.counts[outcome] += 1;
    this.bytes += bytes;
    this.failuresInRow = outcome === 'failed' ? this.failuresInRow + 1 : 0;
    if (outcome === 'moved' || outcome === 'gone' || this.troubles.length >= MOST_NAMED) return;
    this.troubles.push({ outcome, path: pathOf(blob), reason });
  }

  report(complete: boolean, left: BlobTotals): MoveReport {
    return { complete, counts: this.counts, bytes: this.bytes, troubles: this.troubles, left };
  }
}
