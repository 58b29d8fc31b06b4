import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../kernel';
import { FreshCache, OrganizationChanges } from '../organizations';
import { hashOf, looksLikeApiKey, publicIdOf } from './api-key';
import { ApiKeyRepository, type KeyRow } from './api-key.repository';
import { unauthenticated } from './credential';

interface Known {
  readonly caller: Caller;
  /** Epoch milliseconds; Infinity for a key without an end. */
  readonly expiresAt: number;
}

/** Milliseconds for which a revoked key or a disabled member may still get through on another replica. */
const MAX_AGE = 5_000;
const MAX_KEYS = 20_000;
const TOUCH_EVERY = 60_000;

export const callerOf = (row: KeyRow): Caller => ({
  kind: 'api_key',
  credentialId: row.id,
  organizationId: row.organizationId,
  organizationSlug: row.organizationSlug,
  userId: row.userId,
  role: row.role,
  // Scopes narrow: without `admin` not even a system administrator's key is one. And only keys of the system
  // organization can be, or any organization could add the person and mint one.
  systemAdmin: row.systemAdmin && row.isSystem && row.scopes.includes('admin'),
  scopes: row.scopes,
  assistantIds: row.assistantIds,
});

/** Neither revoked nor expired, and its owner a member who may act. */
export const isUsable = ({ disabled, revokedAt, expiresAt }: KeyRow): boolean =>
  !disabled && revokedAt === null && (expiresAt === null || expiresAt.getTime() > Date.now());

const sameHash = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));

/** Turns a credential into the caller. Every carrier and every kind of credential comes through here. */
@Injectable()
export class Authenticator implements OnApplicationShutdown {
  private readonly logger = new Logger('Auth');
  /** By lookup key. What is refused is kept apart, so that guessing cannot push out the keys in use. */
  private readonly known = new FreshCache<string, Known>({ maxAge: MAX_AGE, max: MAX_KEYS, load: (k) => this.load(k) });
  private readonly refused = new LRUCache<string, true>({ max: 5_000, ttl: MAX_AGE });
  private readonly touched = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TOUCH_EVERY });
  private readonly writing = new Set<Promise<void>>();

  constructor(
    private readonly keys: ApiKeyRepository,
    changes: OrganizationChanges,
  ) {
    changes.on((organizationId) => this.forget(organizationId));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled([...this.writing]);
  }

  /** @throws {AppError} `unauthenticated`, one answer for every reason. */
  async authenticate(credential: string): Promise<Caller> {
    if (!looksLikeApiKey(credential)) throw unauthenticated();
    const lookup = `${publicIdOf(credential) ?? ''}.${hashOf(credential)}`;
    if (this.refused.has(lookup)) throw unauthenticated();
    const { caller, expiresAt } = await this.known.get(lookup);
    if (expiresAt <= Date.now()) throw unauthenticated();
    this.touch(caller.credentialId ?? '');
    return caller;
  }

  /** Drops what is remembered about an organization's keys; call it after every change to them. */
  forget(organizationId: string): void {
    this.known.deleteWhere(({ caller }) => caller.organizationId === organizationId);
    this.refused.clear();
  }

  private async load(lookup: string): Promise<Known> {
    const [publicId = '', hash = ''] = lookup.split('.');
    const row = await (publicId === '' ? this.keys.findByHash(hash) : this.keys.findByPublicId(publicId));
    if (row === null || !sameHash(row.hash, hash) || row.disabled || row.revokedAt !== null) {
      this.refused.set(lookup, true);
      throw unauthenticated();
    }
    return { caller: callerOf(row), expiresAt: row.expiresAt?.getTime() ?? Infinity };
  }

  private touch(id: string): void {
    if (this.touched.has(id)) return;
    this.touched.set(id, true);
    const write = this.keys
      .touch(id)
      .catch((error: unknown) => {
        this.touched.delete(id);
        this.logger.warn(`Last use of a key was not written: ${error instanceof Error ? error.name : 'unknown'}`);
      })
      .finally(() => this.writing.delete(write));
    this.writing.add(write);
  }
}
