import { AppError, uuidv7 } from '@bellwether/kernel';

/** Prefix of the names of blobs in a bucket. Names on disk are bare ids. */
export const S3_MARK = 's3-';
const SAFE_PART = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The name contains its place: a separate column could disagree with it. */
export const newBlobName = (place: StorageName): string => `${place === 's3' ? S3_MARK : ''}${uuidv7()}`;

export const storageOf = (name: string): StorageName => (name.startsWith(S3_MARK) ? 's3' : 'disk');

/** A part of a path or key. @throws {Error} for anything but generated names */
export function checkedPart(part: string): string {
  if (!SAFE_PART.test(part)) throw new Error('Not a storage name');
  return part;
}

/** Injection token of the configured places: `readonly BlobStorage[]`, the disk first. */
export const BLOB_STORAGES = Symbol('BlobPlaces');

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('payload_too_large', `The file is larger than ${maxBytes} bytes`, {
    reason: 'file.too_large',
    values: { bytes: maxBytes },
  });

/** Storages that hold the bytes of blobs. */
export const STORAGES = ['disk', 's3'] as const;
export type StorageName = (typeof STORAGES)[number];

/** Modules that store blobs: the first part of each folder and key. */
export const BLOB_AREAS = ['files', 'knowledge-bases'] as const;
export type BlobArea = (typeof BLOB_AREAS)[number];

/** Folder or key prefix of blobs: an area, then ids. No part comes from a name that a person chose. */
export type BlobSpace = readonly [area: BlobArea, organizationId: string, ...ids: string[]];

/** Some blobs of one space. */
export interface BlobBatch {
  readonly area: BlobArea;
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
export interface BlobStorage {
  readonly name: StorageName;
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
