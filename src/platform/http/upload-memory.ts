import { AppError } from '../../kernel';

const MEBIBYTE = 1024 * 1024;
/** Bytes that the uploads of the whole process may hold at once. */
const MOST_OF_ALL = 256 * MEBIBYTE;
/** One organization leaves the others as much. */
const MOST_OF_ONE = MOST_OF_ALL / 2;
const TRY_AGAIN_SECONDS = 5;

/** Bytes held now, by organization; one that holds none is not in it. */
const heldBy = new Map<string, number>();
let heldByAll = 0;

function count(organizationId: string, bytes: number): void {
  const held = (heldBy.get(organizationId) ?? 0) + bytes;
  if (held === 0) heldBy.delete(organizationId);
  else heldBy.set(organizationId, held);
  heldByAll += bytes;
}

/**
 * Bytes that one upload holds in memory, counted against what its organization and the process may hold. They count until
 * `release`, which belongs where the last one who reads the bytes has ended: a client that leaves does not free them.
 */
export class UploadMemory {
  private bytes = 0;
  private isReleased = false;

  constructor(private readonly organizationId: string) {}

  get size(): number {
    return this.bytes;
  }

  /** @throws {AppError} `unavailable` when there is no room for them. */
  take(bytes: number): void {
    // A part that still arrives after the request was given up is kept by nobody.
    if (this.isReleased) return;
    this.bytes += bytes;
    count(this.organizationId, bytes);
    if (heldByAll > MOST_OF_ALL || (heldBy.get(this.organizationId) ?? 0) > MOST_OF_ONE) {
      throw new AppError('unavailable', 'Too many uploads at once', { retryAfter: TRY_AGAIN_SECONDS });
    }
  }

  giveBack(bytes: number): void {
    if (this.isReleased) return;
    this.bytes -= bytes;
    count(this.organizationId, -bytes);
  }

  release(): void {
    this.giveBack(this.bytes);
    this.isReleased = true;
  }
}
