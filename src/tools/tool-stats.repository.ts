import { type SnakeCased, camelCased, snakeCased } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, addOnce } from '../infrastructure/database';
import './tool-stats.entity';

/** The figures of one tool call. */
export interface CountedCall {
  readonly failed: boolean;
  readonly retries: number;
  /** The result was kept from an earlier call: nothing ran, so nothing else of this counts. */
  readonly cached: boolean;
  /** Its fallback answered. */
  readonly fellBack: boolean;
  /** Milliseconds of the try that succeeded; null when none did. */
  readonly durationMs: number | null;
  readonly confidence: number | null;
}

/** Sums over calls of one tool in one organization. They merge by adding. */
export interface ToolCounts {
  /** Calls that ran; those answered from kept results are `cacheHits` instead. */
  calls: number;
  failures: number;
  retries: number;
  cacheHits: number;
  fallbacks: number;
  /** Milliseconds of successful tries. */
  durationSum: number;
  /** Successful tries by duration; `duration-histogram`. */
  durations: number[];
  confidenceSum: number;
  confidences: number;
}

/** Counts of one organization, tool and day. */
export interface ToolDay {
  readonly organizationId: string;
  readonly plugin: string;
  /** UTC, `2026-11-22`. */
  readonly day: string;
  readonly counts: ToolCounts;
}

/** Figures of one tool in one organization over the last days. */
export interface ToolStats {
  readonly calls: number;
  /** 0..1 of `calls`, retries having been in vain. */
  readonly failure_rate: number;
  /** Average time of successful tries, in milliseconds; null when none succeeded. */
  readonly avg_ms: number | null;
  readonly p95_ms: number | null;
  /** Average of the results that stated one; null when none did. */
  readonly confidence: number | null;
}

/** Skips deleted organizations. The order of rows prevents deadlocks between replicas. */
const ADD = `
  ${addOnce('$2')}
  INSERT INTO tool_stats AS kept (organization_id, plugin, day, calls, failures, retries, cache_hits, fallbacks,
    duration_sum, durations, confidence_sum, confidences)
  SELECT row.organization_id, row.plugin, row.day, row.calls, row.failures, row.retries, row.cache_hits, row.fallbacks,
    row.duration_sum, row.durations, row.confidence_sum, row.confidences
  FROM jsonb_to_recordset($1::jsonb) AS row (organization_id uuid, plugin text, day date, calls int, failures int,
    retries int, cache_hits int, fallbacks int, duration_sum float8, durations int[], confidence_sum float8,
    confidences int)
  JOIN organizations ON organizations.id = row.organization_id
  WHERE EXISTS (SELECT FROM once)
  ORDER BY row.organization_id, row.plugin, row.day
  ON CONFLICT ON CONSTRAINT tool_stats_pk DO UPDATE SET
    calls = kept.calls + EXCLUDED.calls,
    failures = kept.failures + EXCLUDED.failures,
    retries = kept.retries + EXCLUDED.retries,
    cache_hits = kept.cache_hits + EXCLUDED.cache_hits,
    fallbacks = kept.fallbacks + EXCLUDED.fallbacks,
    duration_sum = kept.duration_sum + EXCLUDED.duration_sum,
    durations = ARRAY(
      SELECT coalesce(pair.old, 0) + coalesce(pair.new, 0)
      FROM unnest(kept.durations, EXCLUDED.durations) WITH ORDINALITY AS pair (old, new, bucket)
      ORDER BY pair.bucket),
    confidence_sum = kept.confidence_sum + EXCLUDED.confidence_sum,
    confidences = kept.confidences + EXCLUDED.confidences`;

const READ = `
  SELECT plugin, to_char(day, 'YYYY-MM-DD') AS day, calls, failures, retries, cache_hits, fallbacks, duration_sum,
    durations, confidence_sum, confidences
  FROM tool_stats WHERE organization_id = $1 AND day > current_date - $2::int`;

const FORGET = `DELETE FROM tool_stats WHERE day < current_date - $1::int`;

type Row = Pick<ToolDay, 'plugin' | 'day'> & SnakeCased<ToolCounts>;

@Injectable()
export class ToolStatsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds to the stored counts, so that several processes can count. A repetition with the same `id` adds nothing. */
  @AcrossOrganizations('batches')
  async add(id: string, days: readonly ToolDay[]): Promise<void> {
    if (days.length > 0) await this.dataSource.query(ADD, [JSON.stringify(days.map(rowOf)), id]);
  }

  /** Rows of the last `days` days, today's included. */
  @AcrossOrganizations('batches')
  async read(organizationId: string, days: number): Promise<ToolDay[]> {
    const rows = await this.dataSource.query<Row[]>(READ, [organizationId, days]);
    return rows.map(({ plugin, day, ...counts }) => ({
      ...{ organizationId, plugin, day },
      counts: camelCased(counts) as ToolCounts,
    }));
  }

  /** Drops rows that are older than `days` days. */
  @AcrossOrganizations('batches')
  async forget(days: number): Promise<void> {
    await this.dataSource.query(FORGET, [days]);
  }
}

const rowOf = ({ counts, ...key }: ToolDay) => snakeCased({ ...key, ...counts });
