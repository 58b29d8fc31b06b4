import { AppError } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../infrastructure/config';
import { mayHaveCommitted } from '../../infrastructure/database';
import {
  BLOB_STORAGES,
  type BlobStorage,
  type BlobSpace,
  type StorageName,
  newBlobName,
  storageOf,
} from '../places/blob-storage.types';

interface Reading<Row, T> {
  readonly nameOf: (row: Row) => string;
  readonly again: () => Promise<Row | null>;
  readonly read: (row: Row) => Promise<T>;
}

/** Most changes during one read: more than people and commands make. */
const MOST_CHANGES = 5;

/**
 * Reads the bytes that a row names. A replacement or a move may remove them after the row was read. The row then names
 * other bytes, which are read instead.
 */
export async function readCurrent<Row, T>(first: Row, { nameOf, again, read }: Reading<Row, T>): Promise<T> {
  let row = first;
  for (let change = 0; ; change += 1) {
    try {
      return await read(row);
    } catch (error) {
      const now = await again();
      if (now === null || nameOf(now) === nameOf(row) || change === MOST_CHANGES) throw error;
      row = now;
    }
  }
}

export const storageNameOf = ({ storageName }: { readonly storageName: string }): string => storageName;

const DRIVE = /^[a-z]:/i;

/**
 * Why `ref` is not a valid file path; null when it is. A path is only compared with stored names, so `notes..v2.txt` is
 * valid. `a/../b` is not, because it looks as if it could leave a folder.
 */
export function pathProblem(ref: string): string | null {
  if (ref === '') return 'is empty';
  if (ref.length > 1024) return 'is too long';
  if (!ref.isWellFormed()) return 'is not valid Unicode';
  if ([...ref].some((character) => character < ' ' || character === '\u007f')) return 'holds a control character';
  if (ref.includes('\\')) return 'holds a backslash';
  if (ref.startsWith('/') || DRIVE.test(ref)) return 'is absolute';
  if (ref.split('/').some((part) => part === '' || part === '.' || part === '..')) return 'leaves the file space';
  return null;
}

/** Uploaded bytes under generated names; a client's file name never becomes a path or key. */
@Injectable()
export class BlobStore {
  /** The place of new blobs. */
  readonly current: StorageName;

  constructor(
    @Inject(BLOB_STORAGES) private readonly places: readonly BlobStorage[],
    @Inject(CONFIG) { files }: Config,
  ) {
    this.current = files.store;
  }

  /** Stores the bytes under a new name and returns it. A failure leaves nothing behind that could be read. */
  async put(space: BlobSpace, bytes: Buffer, place = this.current): Promise<string> {
    const name = newBlobName(place);
    await this.at(place).put(space, name, bytes);
    return name;
  }

  /** The whole blob. @throws {AppError} `not_found`; `payload_too_large` beyond `maxBytes` */
  async read(space: BlobSpace, name: string, maxBytes: number, signal?: AbortSignal): Promise<Buffer> {
    return this.at(storageOf(name)).read(space, name, maxBytes, signal);
  }

  /** The first `length` bytes of a blob, or all of a shorter one. @throws {AppError} `not_found` */
  async readStart(space: BlobSpace, name: string, length: number): Promise<Buffer> {
    return this.at(storageOf(name)).readStart(space, name, length);
  }

  /** Bytes of a blob; null when there is none. */
  async size(space: BlobSpace, name: string): Promise<number | null> {
    return this.at(storageOf(name)).size(space, name);
  }

  /** A missing blob is no error. */
  async remove(space: BlobSpace, name: string): Promise<void> {
    await this.at(storageOf(name)).remove(space, name);
  }

  async removeAll(space: BlobSpace, names: readonly string[]): Promise<void> {
    for (const name of names) await this.remove(space, name);
  }

  /** Removes blobs that no row names. Ignores failures: they only cost storage, and the sweep tries again. */
  async discard(space: BlobSpace, names: readonly string[]): Promise<void> {
    await Promise.allSettled(names.map((name) => this.remove(space, name)));
  }

  /**
   * Removes blobs whose rows were prevented by the error. After an error of a commit the rows may exist: the blobs stay,
   * and the sweep removes those that no row names.
   */
  async discardAfter(error: unknown, space: BlobSpace, names: readonly string[]): Promise<void> {
    if (!mayHaveCommitted(error)) await this.discard(space, names);
  }

  /** Removes a space with everything in it, in every place. */
  async removeSpace(space: BlobSpace): Promise<void> {
    for (const place of this.places) await place.removeSpace(space);
  }

  private at(name: StorageName): BlobStorage {
    const place = this.places.find((each) => each.name === name);
    if (place === undefined) throw new AppError('unavailable', 'The file is in a bucket, but S3_BUCKET is not set');
    return place;
  }
}
