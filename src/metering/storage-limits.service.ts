import { AppError, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type LimitRule, type LimitSettings, OrganizationsService } from '../organizations';
import type { Transaction } from '../infrastructure/database';
import { StorageLocks } from './storage-locks.repository';

/** Stored bytes of one kind: uploaded files, documents of knowledge bases. */
export interface StorageSource {
  readonly name: string;
  /** Bytes of one owner, or of the organization when `ownerId` is null. Sees the rows of `tx`. */
  bytes(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number>;
}

/**
 * Run it in the transaction that has written the rows of an upload: it counts them, and a refusal rolls them back.
 * @throws AppError `storage_limit_reached`
 */
export type StorageCheck = (tx: Transaction) => Promise<void>;

/** Checks rules for `storage` when bytes are added. The modules that store bytes declare them here. */
@Injectable()
export class StorageLimits {
  private readonly sources: StorageSource[] = [];

  constructor(
    private readonly organizations: OrganizationsService,
    private readonly locks: StorageLocks,
  ) {}

  declare(source: StorageSource): void {
    this.sources.push(source);
  }

  /** The check for an upload of `owner`. Ask for it before the transaction: it may read settings. */
  async checkFor({ organizationId, userId }: Principal): Promise<StorageCheck> {
    const { limits } = await this.organizations.runtime(organizationId);
    const rules = storageRules(limits).filter(({ for: { id } }) => id === undefined || id === userId);
    return async (tx) => {
      if (rules.length > 0) await this.locks.lock(organizationId, tx);
      for (const rule of rules) {
        const used = await this.used(organizationId, rule.for.kind === 'person' ? userId : null, tx);
        if (used > rule.amount) throw full(rule);
      }
    };
  }

  /** Bytes of the organization, or of one person in it. */
  async used(organizationId: string, ownerId: string | null, tx?: Transaction): Promise<number> {
    let sum = 0;
    for (const source of this.sources) sum += await source.bytes(organizationId, ownerId, tx);
    return sum;
  }
}

export const storageRules = ({ rules }: LimitSettings): readonly LimitRule[] =>
  Array.isArray(rules) ? (rules as readonly LimitRule[]).filter(({ limit }) => limit === 'storage') : [];

function full({ id, amount, for: { kind } }: LimitRule): AppError {
  const subject = kind === 'person' ? 'of each person' : 'of the organization';
  const detail = `The limit "${id}" leaves no space: files and documents ${subject} may have ${amount} bytes. Delete some first`;
  return new AppError('storage_limit_reached', detail, { reason: 'storage.full', values: { bytes: amount } });
}
