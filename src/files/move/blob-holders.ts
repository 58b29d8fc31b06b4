import { Injectable } from '@nestjs/common';
import type { BlobSpace, PlaceName } from '../places/blob-place.types';

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
  totals(place: PlaceName): Promise<BlobTotals>;
  /** Blobs of a place in the order of row id and name, after a cursor. */
  page(place: PlaceName, after: BlobCursor | null, limit: number): Promise<readonly HeldBlob[]>;
  /** Replaces the name in the row (compare and swap). False when the row no longer has the old name. */
  rename(blob: HeldBlob, name: string): Promise<boolean>;
  isHeld(blob: HeldBlob): Promise<boolean>;
}

const PAGE_SIZE = 200;

/** Registry of the kinds of rows that hold blobs. Rooms register theirs at start. */
@Injectable()
export class BlobHolders {
  private readonly all: BlobHolder[] = [];

  register(holder: BlobHolder): void {
    this.all.push(holder);
  }

  async totals(place: PlaceName): Promise<BlobTotals> {
    const each = await Promise.all(this.all.map((holder) => holder.totals(place)));
    return {
      files: each.reduce((sum, { files }) => sum + files, 0),
      bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  async *pages(place: PlaceName): AsyncGenerator<{ readonly holder: BlobHolder; readonly blobs: readonly HeldBlob[] }> {
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
