import { AppError } from '@bellwether/kernel';
import { getHeapStatistics } from 'node:v8';

const MEBIBYTE = 1024 * 1024;
const TRY_AGAIN_SECONDS = 5;
/** Bytes that a claim always gets: a few large requests must not block small ones. */
const ALWAYS = 64 * 1024;

/** Limit of the bytes of one kind in this process. One organization may hold half of it. */
export class MemoryBudget {
  private readonly heldBy = new Map<string, number>();
  private held = 0;

  constructor(
    private readonly most: number,
    private readonly refusal: string,
  ) {}

  get size(): number {
    return this.held;
  }

  claim(organizationId: string): MemoryClaim {
    return new MemoryClaim((bytes, size) => this.count(organizationId, bytes, size));
  }

  /** @throws {AppError} `unavailable` when the budget is spent; `size` is the claim's own */
  private count(organizationId: string, bytes: number, size: number): void {
    const heldByOne = (this.heldBy.get(organizationId) ?? 0) + bytes;
    if (heldByOne === 0) this.heldBy.delete(organizationId);
    else this.heldBy.set(organizationId, heldByOne);
    this.held += bytes;
    if (bytes <= 0 || size <= ALWAYS) return;
    if (this.held > this.most || heldByOne > this.most / 2)
      throw new AppError('unavailable', this.refusal, { retryAfter: TRY_AGAIN_SECONDS });
  }
}

/**
 * Bytes that one request holds until `release`. Call it after the last reader of the bytes, not when the client
 * disconnects.
 */
export class MemoryClaim {
  private bytes = 0;
  private isReleased = false;

  constructor(private readonly count: (bytes: number, size: number) => void) {}

  get size(): number {
    return this.bytes;
  }

  /** @throws {AppError} `unavailable` when the budget is spent */
  take(bytes: number): void {
    // The reader drops parts that arrive after the release.
    if (this.isReleased) return;
    this.bytes += bytes;
    this.count(bytes, this.bytes);
  }

  giveBack(bytes: number): void {
    if (this.isReleased) return;
    this.bytes -= bytes;
    this.count(-bytes, this.bytes);
  }

  release(): void {
    this.giveBack(this.bytes);
    this.isReleased = true;
  }
}

export const UPLOADS = new MemoryBudget(256 * MEBIBYTE, 'Too many uploads at once');

/** Texts take several times their bytes of the heap: as they arrive, as values, as the vendor's request. */
const TEXTS = Math.min(256 * MEBIBYTE, getHeapStatistics().heap_size_limit / 8);

/** JSON bodies, until their answer has ended. */
export const BODIES = new MemoryBudget(TEXTS, 'Too many large requests at once');

/** Text that templates, tools and documents add to a conversation, until its answer has ended. */
export const PROMPTS = new MemoryBudget(TEXTS, 'Too many long prompts at once');
