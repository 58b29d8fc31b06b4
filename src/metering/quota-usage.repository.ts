import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from '../infrastructure/database';

/** First key of the advisory locks of storage limits (`stor` as int4). */
const STORAGE_LOCK = 0x73746f72;

@Injectable()
export class StorageLocks {
  /** Serialises the uploads of an organization until the transaction ends: the next one sees the rows of this one. */
  async lock(organizationId: string, tx: Transaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [STORAGE_LOCK, organizationId]);
  }
}

/** One counter in its current window. */
export interface CounterRow {
  readonly ruleId: string;
  readonly subject: string;
  readonly amount: number;
  readonly used: number;
  readonly reserved: number;
  readonly windowStart: Date;
  readonly windowEnd: Date | null;
  readonly warnings: readonly { readonly percent: number; readonly at: string }[];
}

const COUNTERS = `
  SELECT rule_id AS "ruleId", subject, amount::float8, used::float8, reserved::float8,
    window_start AS "windowStart", window_end AS "windowEnd", warnings
  FROM limit_counters
  WHERE organization_id = $1 AND rule_id = ANY($2)
    AND window_start <= now() AND (window_end > now() OR window_end IS NULL)`;

const OF_SUBJECTS = `${COUNTERS} AND subject = ANY($3)`;

/** Nearest to their end first. */
const CURRENT = `${COUNTERS}
  ORDER BY (used + reserved) / greatest(amount, 1)::float8 DESC, rule_id, subject
  LIMIT $3`;

@Injectable()
export class QuotaUsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Counters of the given subjects. */
  ofSubjects(organizationId: string, ruleIds: readonly string[], subjects: readonly string[]): Promise<CounterRow[]> {
    return this.dataSource.query(OF_SUBJECTS, [organizationId, ruleIds, subjects]);
  }

  current(organizationId: string, ruleIds: readonly string[], limit: number): Promise<CounterRow[]> {
    return this.dataSource.query(CURRENT, [organizationId, ruleIds, limit]);
  }
}
