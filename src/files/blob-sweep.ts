import { Inject, Injectable, Logger } from '@nestjs/common';
import { batches } from '../infrastructure/database';
import { JobQueue } from '../infrastructure/jobs';
import { BlobHolders, type BlobTotals, pathOf } from './blob-move';
import {
  BLOB_STORAGES,
  type BlobArea,
  type BlobBatch,
  type BlobStorage,
  STORAGES,
  type StorageName,
} from './places/blob-storage.types';
import { BlobStore } from './storage/blob-store';
import { FileRepository } from './storage/file.repository';

/** Higher than for moves: only sizes are requested. */
const AT_ONCE = 16;
const MOST_NAMED = 100;

interface Inventory {
  readonly complete: boolean;
  readonly places: Readonly<Record<StorageName, BlobTotals>>;
  /** Rows without bytes. */
  readonly missing: number;
  /** The first ones: area, organization, holder and name. */
  readonly paths: readonly string[];
}

/** Checks that the bytes of every row exist. */
@Injectable()
export class BlobInventory {
  constructor(
    private readonly holders: BlobHolders,
    private readonly blobs: BlobStore,
  ) {}

  /** @throws {AppError} `unavailable` when a place does not answer: nothing is known about its files */
  async take(signal: AbortSignal, report: (done: number, total: number) => void): Promise<Inventory> {
    const places = { disk: await this.holders.totals('disk'), s3: await this.holders.totals('s3') };
    const total = places.disk.files + places.s3.files;
    const missing: string[] = [];
    let done = 0;
    for (const place of STORAGES) {
      for await (const { holder, blobs } of this.holders.pages(place)) {
        for (const some of batches(blobs, AT_ONCE)) {
          if (signal.aborted) return inventory(false, places, missing);
          await Promise.all(
            some.map(async (blob) => {
              const isThere = (await this.blobs.size(blob.space, blob.name)) !== null;
              // A person may have deleted or replaced it meanwhile.
              if (!isThere && (await holder.isHeld(blob))) missing.push(pathOf(blob));
            }),
          );
          done += some.length;
          report(Math.min(done, total), total);
        }
      }
    }
    return inventory(true, places, missing);
  }
}

const inventory = (complete: boolean, places: Inventory['places'], missing: readonly string[]): Inventory => ({
  complete,
  places,
  missing: missing.length,
  paths: missing.slice(0, MOST_NAMED),
});

const EVERY_MS = 60 * 60_000;
/** No upload lasts this long. An import may, so none is under way during a sweep. */
const MIN_AGE_MS = 24 * 60 * 60_000;
/** A bound on the time of one sweep. The next one continues. */
const MAX_REMOVED = 10_000;

/** Returns the names of a batch that rows use. */
type NamedBlobs = (batch: BlobBatch) => Promise<ReadonlySet<string>>;

/**
 * Removes blobs that no row uses, left by a process that was killed before its commit. If rows use none of the blobs of a
 * place, it belongs to another database and nothing is removed there.
 */
@Injectable()
export class BlobSweep {
  private readonly log = new Logger('Files');
  private readonly namedIn = new Map<BlobArea, NamedBlobs>();
  private readonly holds: (() => Promise<boolean>)[] = [];
  private readonly warned = new Set<BlobStorage>();

  constructor(
    @Inject(BLOB_STORAGES) private readonly places: readonly BlobStorage[],
    private readonly jobs: JobQueue,
    files: FileRepository,
  ) {
    this.register('files', ({ organizationId, holderId, names }) => files.named(organizationId, holderId, names));
    jobs.sweep(EVERY_MS, ({ first }) => (first ? Promise.resolve() : this.sweep()));
  }

  /** Called at start by the module that stores the blobs. Blobs of an unregistered area stay. */
  register(area: BlobArea, named: NamedBlobs): void {
    this.namedIn.set(area, named);
  }

  /** Called at start. No sweep begins while `isHeld` resolves to true. */
  pauseWhile(isHeld: () => Promise<boolean>): void {
    this.holds.push(isHeld);
  }

  async sweep(): Promise<void> {
    for (const place of this.places) await this.sweepPlace(place);
  }

  private async sweepPlace(storage: BlobStorage): Promise<void> {
    if (await this.isHeld()) return;
    if (!(await this.belongsToDatabase(storage))) return;
    const before = Date.now() - MIN_AGE_MS;
    let removed = 0;
    let bytes = 0;
    for await (const batch of storage.batches()) {
      for (const name of await this.unnamed(batch)) {
        const size = await storage.removeOlder(batch, name, before);
        if (size === null) continue;
        removed += 1;
        bytes += size;
      }
      if (removed >= MAX_REMOVED || this.jobs.isStopping || (await this.isHeld())) break;
    }
    if (removed > 0)
      this.log.log({ msg: 'stored files that no row names were removed', place: storage.name, files: removed, bytes });
  }

  private async isHeld(): Promise<boolean> {
    for (const isHeld of this.holds) if (await isHeld()) return true;
    return false;
  }

  private async belongsToDatabase(storage: BlobStorage): Promise<boolean> {
    let found = 0;
    for await (const batch of storage.batches()) {
      if ((await this.unnamed(batch)).length < batch.names.length) return true;
      if (this.jobs.isStopping) return false;
      found += batch.names.length;
    }
    if (found > 0 && !this.warned.has(storage)) {
      this.warned.add(storage);
      const where = storage.name === 'disk' ? 'DATA_DIR' : 'the bucket';
      this.log.warn({ msg: `the database names none of the files in ${where}; none is removed`, files: found });
    }
    return false;
  }

  private async unnamed(batch: BlobBatch): Promise<readonly string[]> {
    const named = await this.namedIn.get(batch.area)?.(batch);
    return named === undefined ? [] : batch.names.filter((name) => !named.has(name));
  }
}
