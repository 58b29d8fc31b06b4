import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, Transactions } from '../../infrastructure/database';

/** Name of a counter (`day`, `assistant/7`, `organization/<id>`) and the calls that it may have in 24 hours. */
export interface CountedCalls {
  readonly counted: string;
  readonly most: number;
}

export interface CountedCall {
  readonly organizationId: string;
  readonly counted: readonly string[];
  /** Number of the five-minute slot since 1970, as text. */
  readonly slot: string;
}

const SLOT_MS = 5 * 60_000;
const SLOTS_A_DAY = 288;

/**
 * `$1` organization, `$2` names, `$3` limits, `$4` the current slot, `$5` the newest expired slot. The row lock of the
 * conflict makes each count exact: the condition reads the row after the last writer.
 */
const RESERVE = `
  INSERT INTO assistant_call_counts AS held (organization_id, counted, most, slots)
  SELECT $1::uuid, wanted.counted, wanted.most, jsonb_build_object($4::text, 1)
  FROM unnest($2::text[], $3::int[]) AS wanted (counted, most)
  WHERE wanted.most > 0
  ORDER BY wanted.counted
  ON CONFLICT (organization_id, counted) DO UPDATE
  SET most = excluded.most,
      slots = (SELECT coalesce(jsonb_object_agg(slot, calls::int), '{}') FROM jsonb_each_text(held.slots) AS each (slot, calls)
               WHERE slot::int > $5::int)
              || jsonb_build_object($4::text, coalesce((held.slots ->> $4::text)::int, 0) + 1)
  WHERE (SELECT coalesce(sum(calls::int), 0) FROM jsonb_each_text(held.slots) AS each (slot, calls)
         WHERE slot::int > $5::int) < excluded.most
  RETURNING held.counted`;

const GIVE_BACK = `
  WITH held AS (
    SELECT organization_id, counted FROM assistant_call_counts
    WHERE organization_id = $1::uuid AND counted = ANY($2::text[]) ORDER BY counted FOR UPDATE
  )
  UPDATE assistant_call_counts AS counts
  SET slots = slots || jsonb_build_object($3::text, greatest((slots ->> $3::text)::int - 1, 0))
  FROM held
  WHERE counts.organization_id = held.organization_id AND counts.counted = held.counted
    AND slots ->> $3::text IS NOT NULL`;

class QuotaSpent extends Error {}

/** Counts the calls that an organization pays for, over the last 24 hours in slots of five minutes. */
@Injectable()
export class CallCountRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
  ) {}

  /** Counts one call in all counters, or in none: null when one limit is reached. */
  @AcrossOrganizations('calls')
  async reserve(organizationId: string, limits: readonly CountedCalls[]): Promise<CountedCall | null> {
    const now = Math.floor(Date.now() / SLOT_MS);
    const counted = limits.map((limit) => limit.counted);
    const most = limits.map((limit) => limit.most);
    try {
      await this.transactions.run(async (tx) => {
        const rows = await tx.query<unknown[]>(RESERVE, [organizationId, counted, most, `${now}`, now - SLOTS_A_DAY]);
        if (rows.length < limits.length) throw new QuotaSpent();
      });
    } catch (error) {
      if (error instanceof QuotaSpent) return null;
      throw error;
    }
    return { organizationId, counted, slot: `${now}` };
  }

  @AcrossOrganizations('calls')
  async giveBack({ organizationId, counted, slot }: CountedCall): Promise<void> {
    await this.dataSource.query(GIVE_BACK, [organizationId, counted, slot]);
  }
}
