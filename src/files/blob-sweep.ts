import { Inject, Injectable, Logger } from '@nestjs/common';
import { JobQueue } from '../infrastructure/jobs';
import { BLOB_STORAGES, type BlobBatch, type BlobStorage, type BlobArea } from './places/blob-storage.types';
import { FileRepository } from './storage/file.repository';

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
