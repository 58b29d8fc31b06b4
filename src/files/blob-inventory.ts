import { Injectable } from '@nestjs/common';
import { batches } from '../infrastructure/database';
import { STORAGES, type StorageName } from './places/blob-storage.types';
import { BlobStore } from './storage/blob-store';
import { BlobHolders, type BlobTotals, pathOf } from './blob-move';

/** Higher than for moves: only sizes are requested. */
const AT_ONCE = 16;
const MOST_NAMED = 100;

export interface Inventory {
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
