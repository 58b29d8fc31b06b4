import { inNameOrder } from '@bellwether/kernel';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditEntryEntity } from './audit-entry.entity';
import type { AuditChainEntity } from './audit-chain.entity';

/** The part of an entry that says what happened. */
export type EntryContent = Omit<
  AuditEntryEntity,
  'writtenMac' | 'sequence' | 'previousHash' | 'contentHash' | 'hash' | 'keyId'
>;

/** Seal of one entry. */
export interface ChainEntry {
  readonly sequence: number;
  readonly previousHash: string;
  readonly contentHash: string;
}

export type ChainHead = Omit<AuditChainEntity, 'mac' | 'checkedAt' | 'checkedIntact'>;

/** Previous hash of the first entry. */
export const GENESIS = '0'.repeat(64);

/** Content hash of an entry that no process with the operator's key wrote. */
export const UNPROVEN = 'unproven';

/** One text per content, whatever order of members `jsonb` answers. */
const canonical = (value: unknown): string => JSON.stringify(inNameOrder(JSON.parse(JSON.stringify(value ?? null))));

const mac = (key: Buffer, purpose: string, facts: readonly unknown[]): string =>
  createHmac('sha256', key)
    .update(canonical([purpose, ...facts]))
    .digest('hex');

export function contentHash(key: Buffer, entry: EntryContent): string {
  return mac(key, 'content', [
    entry.id,
    entry.organizationId,
    entry.actorKind,
    entry.actorUserId,
    entry.actorCredentialId,
    entry.action,
    entry.targetType,
    entry.targetId,
    entry.before ?? null,
    entry.after ?? null,
    entry.requestId,
    entry.ip,
    entry.at.toISOString(),
  ]);
}

export const entryHash = (key: Buffer, entry: Pick<EntryContent, 'id' | 'organizationId'>, seal: ChainEntry): string =>
  mac(key, 'entry', [entry.organizationId, seal.sequence, seal.previousHash, entry.id, seal.contentHash]);

export const headMac = (key: Buffer, head: ChainHead): string =>
  mac(key, 'head', [head.organizationId, head.sequence, head.hash, head.keyId, head.legacyUntil]);

export const sameMac = (expected: string, given: string | null): boolean =>
  given !== null && expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given));
