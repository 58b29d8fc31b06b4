import { Injectable } from '@nestjs/common';
import { Between, DataSource, IsNull, LessThanOrEqual, MoreThan, Not } from 'typeorm';
import type { Transaction } from '../../database';
import { AuditChainEntity } from '../audit-chain.entity';
import { AuditEntryEntity } from '../audit-entry.entity';
import { type ChainHead, type ChainEntry, UNPROVEN } from '../entry-hash';

/** Values of `bellwether.audit_change` that the triggers of the migration know. */
type Change = 'seal' | 'redact' | 'prune';

export interface SealedRow extends ChainEntry {
  readonly id: string;
  readonly hash: string;
  readonly keyId: string;
}

/** An entry with less of a person in it. */
export interface Redaction {
  readonly id: string;
  readonly targetId: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly ip: string | null;
}

const SEAL = `
  UPDATE audit_entries entry SET sequence = seal.sequence, previous_hash = seal."previousHash",
    content_hash = seal."contentHash", hash = seal.hash, key_id = seal."keyId"
  FROM json_to_recordset($2::json) AS seal (
    id uuid, sequence bigint, "previousHash" text, "contentHash" text, hash text, "keyId" text)
  WHERE entry.organization_id = $1 AND entry.id = seal.id AND entry.sequence IS NULL`;

const REDACT = `
  UPDATE audit_entries entry SET target_id = redaction."targetId", before = redaction.before, after = redaction.after,
    ip = redaction.ip
  FROM json_to_recordset($2::json) AS redaction (id uuid, "targetId" text, before jsonb, after jsonb, ip text)
  WHERE entry.organization_id = $1 AND entry.id = redaction.id`;

/** Entries of redactions keep their hashes: they name ids only. */
const ABOUT_PERSON = `
  SELECT id FROM audit_entries
  WHERE organization_id = $1 AND sequence IS NOT NULL AND action <> 'audit.redact' AND (
    actor_user_id = $2 OR target_id = $2::text
    OR EXISTS (
      SELECT FROM unnest($3::text[]) AS pattern
      WHERE target_id ILIKE pattern OR before::text ILIKE pattern OR after::text ILIKE pattern))
  ORDER BY sequence`;

/** `at` of neighbours may differ from the order of sealing: the first entry that is kept ends the range. */
const LAST_BEFORE = `
  SELECT COALESCE(
    (SELECT min(sequence) - 1 FROM audit_entries WHERE organization_id = $1 AND sequence IS NOT NULL AND at >= $2),
    (SELECT max(sequence) FROM audit_entries WHERE organization_id = $1))::text AS last`;

/** Rows of the hash chains. Callers of the methods with `tx` hold the lock of the chain. */
@Injectable()
export class ChainRepository {
  constructor(private readonly dataSource: DataSource) {}

  async organizationsWithUnsealed(limit: number): Promise<readonly string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT DISTINCT organization_id AS id FROM audit_entries WHERE sequence IS NULL LIMIT $1',
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Row lock: one process at a time extends or rewrites the chain of an organization. */
  lock(organizationId: string, tx: Transaction): Promise<AuditChainEntity | null> {
    const rows = tx.getRepository(AuditChainEntity);
    return rows.findOne({ where: { organizationId }, lock: { mode: 'pessimistic_write' } });
  }

  find(organizationId: string, tx?: Transaction): Promise<AuditChainEntity | null> {
    return (tx ?? this.dataSource.manager).getRepository(AuditChainEntity).findOneBy({ organizationId });
  }

  async insertIfAbsent(head: ChainHead, mac: string, tx: Transaction): Promise<void> {
    const values = { ...head, mac };
    await tx.getRepository(AuditChainEntity).createQueryBuilder().insert().values(values).orIgnore().execute();
  }

  async advance(head: ChainHead, mac: string, tx: Transaction): Promise<void> {
    const { organizationId, ...values } = head;
    await tx.getRepository(AuditChainEntity).update({ organizationId }, { ...values, mac });
  }

  async noteCheck(organizationId: string, intact: boolean): Promise<void> {
    const checked = { checkedAt: () => 'now()', checkedIntact: intact };
    await this.dataSource.getRepository(AuditChainEntity).update({ organizationId }, checked);
  }

  /** Id of the newest entry without a MAC. */
  async newestWithoutMac(organizationId: string, tx: Transaction): Promise<string | null> {
    const where = { organizationId, writtenMac: IsNull(), sequence: IsNull() };
    const found = await tx
      .getRepository(AuditEntryEntity)
      .findOne({ select: { id: true }, where, order: { id: 'DESC' } });
    return found?.id ?? null;
  }

  hasSealed(organizationId: string, tx: Transaction): Promise<boolean> {
    return tx.getRepository(AuditEntryEntity).existsBy({ organizationId, sequence: Not(IsNull()) });
  }

  /**
   * Entries without a MAC or with one by a key of `kids`. The order of commits is not that of ids: an entry with a
   * smaller id may appear later.
   */
  unsealed(
    organizationId: string,
    kids: readonly string[],
    limit: number,
    tx: Transaction,
  ): Promise<AuditEntryEntity[]> {
    return tx
      .getRepository(AuditEntryEntity)
      .createQueryBuilder('entry')
      .where('entry.organizationId = :organizationId AND entry.sequence IS NULL', { organizationId })
      .andWhere(`(entry.writtenMac IS NULL OR split_part(entry.writtenMac, ':', 1) = ANY (:kids))`, { kids })
      .orderBy('entry.id')
      .limit(limit)
      .getMany();
  }

  countUnsealed(organizationId: string): Promise<number> {
    return this.dataSource.getRepository(AuditEntryEntity).countBy({ organizationId, sequence: IsNull() });
  }

  async seal(organizationId: string, rows: readonly SealedRow[], tx: Transaction): Promise<void> {
    await this.allow('seal', tx);
    await tx.query(SEAL, [organizationId, JSON.stringify(rows)]);
  }

  /** Sealed entries after a position, in order. */
  sealedAfter(organizationId: string, sequence: number, limit: number, tx?: Transaction): Promise<AuditEntryEntity[]> {
    return (tx ?? this.dataSource.manager).getRepository(AuditEntryEntity).find({
      where: { organizationId, sequence: MoreThan(sequence) },
      order: { sequence: 'ASC', id: 'ASC' },
      take: limit,
    });
  }

  async idsAboutPerson(
    organizationId: string,
    userId: string,
    patterns: readonly string[],
    tx: Transaction,
  ): Promise<readonly string[]> {
    const rows: { id: string }[] = await tx.query(ABOUT_PERSON, [organizationId, userId, patterns]);
    return rows.map(({ id }) => id);
  }

  byIds(organizationId: string, ids: readonly string[], tx: Transaction): Promise<AuditEntryEntity[]> {
    return tx
      .getRepository(AuditEntryEntity)
      .createQueryBuilder('entry')
      .where('entry.organizationId = :organizationId AND entry.id = ANY (:ids)', { organizationId, ids })
      .orderBy('entry.sequence')
      .getMany();
  }

  async redact(organizationId: string, redactions: readonly Redaction[], tx: Transaction): Promise<void> {
    await this.allow('redact', tx);
    await tx.query(REDACT, [organizationId, JSON.stringify(redactions)]);
  }

  /** Position of the last entry of the chain's beginning that is older than `before`; null without one. */
  async lastBefore(organizationId: string, before: Date, tx: Transaction): Promise<number | null> {
    const [row] = await tx.query<{ last: string | null }[]>(LAST_BEFORE, [organizationId, before]);
    return row?.last === null || row === undefined ? null : Number(row.last);
  }

  atSequence(organizationId: string, sequence: number, tx: Transaction): Promise<AuditEntryEntity | null> {
    return tx.getRepository(AuditEntryEntity).findOneBy({ organizationId, sequence });
  }

  /** Sealed entries that carry no proof of the service. */
  unproven(organizationId: string, from: number, through: number, tx: Transaction): Promise<AuditEntryEntity[]> {
    return tx.getRepository(AuditEntryEntity).find({
      where: { organizationId, sequence: Between(from, through), contentHash: UNPROVEN },
      order: { sequence: 'ASC' },
    });
  }

  async firstSequence(organizationId: string, tx: Transaction): Promise<number | null> {
    const where = { organizationId, sequence: Not(IsNull()) };
    const order = { sequence: 'ASC' as const };
    const first = await tx
      .getRepository(AuditEntryEntity)
      .findOne({ select: { id: true, sequence: true }, where, order });
    return first?.sequence ?? null;
  }

  async prune(organizationId: string, through: number, tx: Transaction): Promise<number> {
    await this.allow('prune', tx);
    const old = { organizationId, sequence: LessThanOrEqual(through) };
    const { affected } = await tx.getRepository(AuditEntryEntity).delete(old);
    return affected ?? 0;
  }

  private async allow(change: Change, tx: Transaction): Promise<void> {
    await tx.query(`SELECT set_config('bellwether.audit_change', $1, true)`, [change]);
  }
}
