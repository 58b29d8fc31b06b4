/** Where the bytes of a blob are. */
export const PLACES = ['disk', 's3'] as const;
export type PlaceName = (typeof PLACES)[number];

/** Rooms that store blobs: the first part of each folder and key. */
export const BLOB_ROOMS = ['files', 'knowledge-bases'] as const;
export type BlobRoom = (typeof BLOB_ROOMS)[number];

/** Folder or key prefix of blobs: a room, then ids. No part comes from a name that a person chose. */
export type BlobSpace = readonly [room: BlobRoom, organizationId: string, ...ids: string[]];

/** Some blobs of one space. */
export interface BlobBatch {
  readonly room: BlobRoom;
  readonly organizationId: string;
  /** The owner of files, or the knowledge base of documents. */
  readonly holderId: string;
  readonly names: readonly string[];
}

/**
 * One place that stores blobs. A name is written once and never again: a blob exists as a whole or not at all.
 * Every method rejects with an `AppError`: `unavailable` when the place does not answer, `insufficient_storage` when it
 * is full.
 */
export interface BlobPlace {
  readonly name: PlaceName;
  /** A failure leaves no readable blob behind. */
  put(space: BlobSpace, name: string, bytes: Buffer): Promise<void>;
  /** @throws {AppError} `not_found`; `payload_too_large` beyond `maxBytes` */
  read(space: BlobSpace, name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer>;
  /** The first `length` bytes, or all of a shorter blob. @throws {AppError} `not_found` */
  readStart(space: BlobSpace, name: string, length: number): Promise<Buffer>;
  /** Bytes of a blob; null when there is none. */
  size(space: BlobSpace, name: string): Promise<number | null>;
  /** A missing blob is no error. */
  remove(space: BlobSpace, name: string): Promise<void>;
  removeSpace(space: BlobSpace): Promise<void>;
  /** Every blob of this place, grouped by space. */
  batches(): AsyncGenerator<BlobBatch>;
  /** Removes a blob last written before `time`, in ms. Returns its bytes, or null when nothing was removed. */
  removeOlder(batch: BlobBatch, name: string, time: number): Promise<number | null>;
}
