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

/** The part of a lease that no run holds is not used up for people who look: a process gives it to the next run. */
const COUNTERS = `
  WITH leased AS (
    SELECT i.rule_id, i.subject, i.window_start, sum(i.reserved - i.held) AS free
    FROM limit_reservations r, jsonb_to_recordset(r.items) AS i(
      rule_id text, subject text, window_start timestamptz, reserved bigint, held bigint)
    WHERE r.organization_id = $1 AND i.held IS NOT NULL GROUP BY 1, 2, 3
  ), standing AS (
    SELECT rule_id, subject, window_start, window_end, amount, warnings, used,
      greatest(0, reserved - coalesce(leased.free, 0)) AS reserved
    FROM limit_counters LEFT JOIN leased USING (rule_id, subject, window_start)
    WHERE organization_id = $1 AND rule_id = ANY($2)
      AND window_start <= now() AND (window_end > now() OR window_end IS NULL)
  )
  SELECT rule_id AS "ruleId", subject, amount::float8, used::float8, reserved::float8,
    window_start AS "windowStart", window_end AS "windowEnd", warnings
  FROM standing`;

const OF_SUBJECTS = `${COUNTERS} WHERE subject = ANY($3)`;

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
