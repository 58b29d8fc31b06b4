import { type Awaitable, type Caller, after, atMostFor } from '@bellwether/kernel';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { FreshCache } from '../../infrastructure/cache';
import { unauthenticated } from './credential';

export interface Known {
  readonly caller: Caller;
  /** Epoch milliseconds; Infinity for a credential without an end. */
  readonly expiresAt: number;
}

/** Store of one kind of credential. */
export interface CredentialStore {
  /** Null for an unknown or unusable credential. `credential` is the second argument of the `get` that asks. */
  load(lookup: string, credential: string): Promise<Known | null>;
  /** Records the last use. */
  touch(id: string): Promise<void>;
}

/** Milliseconds that an ended credential may still work on another replica. */
const MAX_AGE = 5_000;
const MAX_KNOWN = 20_000;
const TOUCH_EVERY = 60_000;

/** Credentials by lookup, a short text that is no secret, at most `MAX_AGE` old. Refused ones are kept apart: guessing cannot evict those in use. */
export class CredentialCache {
  private readonly logger = new Logger('Auth');
  private readonly known = new FreshCache<string, Known>({
    maxAge: MAX_AGE,
    max: MAX_KNOWN,
    load: (lookup) => this.load(lookup, lookup),
  });
  private readonly refused = new LRUCache<string, true>(atMostFor(5_000, MAX_AGE));
  private readonly touched = new LRUCache<string, true>(atMostFor(MAX_KNOWN, TOUCH_EVERY));
  private readonly writing = new Set<Promise<void>>();

  constructor(private readonly store: CredentialStore) {}

  /** @throws {AppError} `unauthenticated`, one answer for every reason. */
  get(lookup: string, credential = lookup): Awaitable<Caller> {
    if (this.refused.has(lookup)) throw unauthenticated();
    return after(
      this.known.get(lookup, () => this.load(lookup, credential)),
      (known) => this.use(known),
    );
  }

  /** Drops the credentials of an organization. */
  forget(organizationId: string): void {
    this.known.deleteWhere(({ caller }) => caller.organizationId === organizationId);
    this.refused.clear();
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.writing]);
  }

  private use({ caller, expiresAt }: Known): Caller {
    if (expiresAt <= Date.now()) throw unauthenticated();
    this.touch(caller.credentialId ?? '');
    return caller;
  }

  private async load(lookup: string, credential: string): Promise<Known> {
    const found = await this.store.load(lookup, credential);
    if (found !== null) return found;
    this.refused.set(lookup, true);
    throw unauthenticated();
  }

  private touch(id: string): void {
    if (this.touched.has(id)) return;
    this.touched.set(id, true);
    const write = this.store
      .touch(id)
      .catch((error: unknown) => {
        this.touched.delete(id);
        this.logger.warn(
          `Last use of a credential was not written: ${error instanceof Error ? error.name : 'unknown'}`,
        );
      })
      .finally(() => this.writing.delete(write));
    this.writing.add(write);
  }
}
