import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../infrastructure/database';

/** A lease as its process knows it. Figures are whole and count from the beginning of the lease. */
export interface LeaseReport {
  readonly id: string;
  readonly organization_id: string;
  readonly rule_id: string;
  readonly subject: string;
  readonly window_start: Date;
  readonly window_end: Date | null;
  readonly amount: number;
  /** The rule warns at 50, 80 and 100 percent. */
  readonly warns: boolean;
  /** Simultaneous runs or streams: a dead process frees them. */
  readonly is_place: boolean;
  readonly used: number;
  /** Reserved by running completions. */
  readonly held: number;
  /** The part of the lease that stays leased; not less than `held`. */
  readonly keep: number;
  /** Wanted beyond `keep` by runs that wait, and by those to come. */
  readonly need: number;
  readonly want: number;
  /** `used` as the counter has it if the row of the lease is gone. */
  readonly base: number;
  /** A run was refused: the window has nothing left for others like it. */
  readonly refused: boolean;
}

/** A lease and its counter after a report. */
export interface LeaseState {
  readonly id: string;
  readonly leased: number;
  readonly used: number;
  readonly reserved: number;
}

/** A counter that has passed 50, 80 or 100 percent. */
export interface CounterWarning {
  readonly organizationId: string;
  readonly ruleId: string;
  readonly subject: string;
  readonly amount: number;
  readonly used: number;
  readonly percent: number;
}

const COUNTER = 'organization_id, rule_id, subject, window_start';
const REPORTS = `json_to_recordset($1::json) AS w(
  id uuid, organization_id uuid, rule_id text, subject text, window_start timestamptz, window_end timestamptz,
  amount bigint, warns boolean, is_place boolean, used bigint, held bigint, keep bigint, need bigint, want bigint,
  base bigint, refused boolean)`;

const CREATE = `
  INSERT INTO limit_counters (${COUNTER}, window_end, amount, used, reserved, warned, warnings)
  SELECT DISTINCT o.id, w.rule_id, w.subject, w.window_start, w.window_end, w.amount, 0, 0, 0, '[]'::jsonb
  FROM ${REPORTS} JOIN organizations o ON o.id = w.organization_id
  ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`;

/** Adds `booked` to the counters. All statements lock counters in the order of organization, rule, subject and window. */
const BOOK = `
  leveled AS (
    SELECT *, CASE WHEN NOT warns THEN 0 WHEN refused THEN 100 WHEN amount = 0 THEN 0
      WHEN had + added >= amount THEN 100 WHEN had + added >= amount * 0.8 THEN 80
      WHEN had + added >= amount * 0.5 THEN 50 ELSE 0 END AS level
    FROM booked
  ), counted AS (
    UPDATE limit_counters c
    SET amount = b.amount, window_end = b.window_end,
      used = c.used + greatest(-c.used, b.added),
      reserved = c.reserved + greatest(-c.reserved, b.more),
      warned = greatest(c.warned, b.level),
      warnings = CASE WHEN b.level > c.warned
        THEN c.warnings || jsonb_build_object('percent', b.level, 'at', now()) ELSE c.warnings END
    FROM leveled b
    WHERE c.organization_id = b.organization_id AND c.rule_id = b.rule_id AND c.subject = b.subject
      AND c.window_start = b.window_start
    RETURNING ${COUNTER.replaceAll(/\w+/g, 'c.$&')}, c.amount, c.used, c.reserved, b.level,
      b.level > b.warned AS is_warning
  )`;

/** Columns of `counted` as `CounterWarning`. */
const WARNINGS = `coalesce((SELECT json_agg(json_build_object('organizationId', organization_id, 'ruleId', rule_id,
  'subject', subject, 'amount', amount, 'used', used, 'percent', level)) FROM counted WHERE is_warning), '[]')`;

/**
 * `$1` reports, `$2` their number, `$3` process, `$4` seconds, `$5` leases that have ended. A lease's row holds what the
 * counter knows of it, so a report adds the difference, and a repetition adds nothing. The row also has the form of older
 * builds, whose sweep charges it: a run of nobody.
 */
const REPORT = `
  WITH own AS (
    SELECT r.id, i.used, i.reserved, i.report
    FROM limit_reservations r, jsonb_to_record(r.items -> 0) AS i(used bigint, reserved bigint, report bigint)
    WHERE r.id IN (SELECT w.id FROM ${REPORTS}) ORDER BY r.id FOR UPDATE OF r
  ), locked AS (
    SELECT w.*, c.used AS had, c.warned, w.used - coalesce(own.used, w.base) AS added,
      c.reserved, coalesce(own.reserved, 0) AS leased
    FROM ${REPORTS} JOIN limit_counters c USING (${COUNTER}) LEFT JOIN own ON own.id = w.id
    WHERE coalesce(own.report, 0) < $2
    ORDER BY ${COUNTER.replaceAll(/\w+/g, 'c.$&')} FOR UPDATE OF c
  ), granted AS (
    SELECT *, keep + greatest(0, least(available, greatest(need, least(want, available / 20)))) AS lease
    FROM (SELECT *, amount - had - added - reserved + leased - keep AS available FROM locked) AS each
  ), booked AS (
    SELECT *, lease - leased AS more FROM granted
  ), ${BOOK}, stored AS (
    INSERT INTO limit_reservations (id, organization_id, worker_id, expires_at, items, run)
    SELECT id, organization_id, $3, now() + make_interval(secs => $4),
      jsonb_build_array(jsonb_build_object('rule_id', rule_id, 'subject', subject, 'window_start', window_start,
        'reserved', lease, 'charged', CASE WHEN is_place THEN 0 ELSE lease END, 'warns', warns,
        'used', used, 'held', held, 'report', $2::bigint)),
      jsonb_build_object('subject', jsonb_build_object('organizationId', organization_id), 'provider', '',
        'model', '', 'promptTokens', 0, 'completionTokens', 0, 'costMicros', 0)
    FROM granted
    ON CONFLICT (id) DO UPDATE SET items = excluded.items, expires_at = excluded.expires_at
  ), ended AS (
    DELETE FROM limit_reservations WHERE id = ANY($5::uuid[])
  )
  SELECT coalesce((SELECT json_agg(json_build_object('id', g.id, 'leased', g.lease, 'used', c.used,
      'reserved', c.reserved)) FROM granted g JOIN counted c USING (${COUNTER})), '[]') AS states,
    ${WARNINGS} AS warnings`;

const RENEW = `UPDATE limit_reservations SET expires_at = now() + make_interval(secs => $2) WHERE worker_id = $1`;

/** A living process that was taken for dead finds what it was charged, and reports the difference. */
const KEPT = "interval '1 hour'";

/**
 * `$1` true: every row, else expired ones; `$2` process. Charges whole leases: the vendor may have been asked for all of
 * them. A reservation of an older build is one run; its id in `applied_writes` tells that build that it was charged.
 */
const SWEEP = `
  WITH dead AS (
    SELECT id, organization_id, items, items -> 0 ? 'report' AND (items #>> '{0,reserved}')::bigint > 0 AS stays
    FROM limit_reservations WHERE (expires_at <= now() OR $1) AND worker_id <> $2
    ORDER BY id LIMIT 200 FOR UPDATE SKIP LOCKED
  ), summed AS (
    SELECT ${COUNTER}, sum(charged)::bigint AS added, sum(reserved)::bigint AS freed, bool_or(warns) AS warns
    FROM dead, jsonb_to_recordset(items) AS i(
      rule_id text, subject text, window_start timestamptz, reserved bigint, charged bigint, warns boolean)
    GROUP BY ${COUNTER}
  ), booked AS (
    SELECT ${COUNTER}, c.window_end, c.amount, c.used AS had, c.warned, s.added, -s.freed AS more, s.warns,
      false AS refused
    FROM summed s JOIN limit_counters c USING (${COUNTER})
    ORDER BY ${COUNTER.replaceAll(/\w+/g, 'c.$&')} FOR UPDATE OF c
  ), ${BOOK}, charged AS (
    UPDATE limit_reservations r
    SET expires_at = now() + ${KEPT}, items = jsonb_build_array(d.items -> 0 || jsonb_build_object('reserved', 0,
      'charged', 0, 'held', 0, 'used', (d.items #>> '{0,used}')::bigint + (d.items #>> '{0,charged}')::bigint))
    FROM dead d WHERE r.id = d.id AND d.stays
  ), removed AS (
    DELETE FROM limit_reservations r USING dead d WHERE r.id = d.id AND NOT d.stays
  ), marked AS (
    INSERT INTO applied_writes (id) SELECT id FROM dead WHERE NOT items -> 0 ? 'report' ON CONFLICT DO NOTHING
  )
  SELECT (SELECT count(*)::int FROM dead WHERE stays OR NOT items -> 0 ? 'report') AS charged, ${WARNINGS} AS warnings`;

const FORGET = `
  DELETE FROM limit_counters
  WHERE (window_end < now() - make_interval(days => 400))
     OR (window_end - window_start <= interval '1 minute' AND window_end < now() - interval '1 hour')
     OR (window_end IS NULL AND reserved = 0)`;

/** Counters of rules, and what processes have leased of them. All times are the database's. */
@Injectable()
export class LeaseRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Makes the counters of leases that `report` did not find. */
  @AcrossOrganizations('batches')
  async create(reports: readonly LeaseReport[]): Promise<void> {
    await this.dataSource.query(CREATE, [JSON.stringify(reports)]);
  }

  /** Leases whose counter does not exist are left out. `number` grows with each call of the process. */
  @AcrossOrganizations('batches')
  async report(
    reports: readonly LeaseReport[],
    { number, workerId, seconds }: { readonly number: number; readonly workerId: string; readonly seconds: number },
    ended: readonly string[],
  ): Promise<{ readonly states: readonly LeaseState[]; readonly warnings: readonly CounterWarning[] }> {
    const values = [JSON.stringify(reports), number, workerId, seconds, ended];
    const [row] = await this.dataSource.query<[{ states: LeaseState[]; warnings: CounterWarning[] }]>(REPORT, values);
    return row;
  }

  @AcrossOrganizations('jobs')
  async renew(workerId: string, seconds: number): Promise<void> {
    await this.dataSource.query(RENEW, [workerId, seconds]);
  }

  /** Charges leases of dead processes. `all`: this process has the database to itself and has just started. */
  @AcrossOrganizations('jobs')
  async sweep(
    all: boolean,
    workerId: string,
  ): Promise<{ readonly charged: number; readonly warnings: readonly CounterWarning[] }> {
    const [row] = await this.dataSource.query<[{ charged: number; warnings: CounterWarning[] }]>(SWEEP, [
      all,
      workerId,
    ]);
    return row;
  }

  /** Deletes counters of windows that nobody asks about any more. */
  @AcrossOrganizations('jobs')
  async forget(): Promise<void> {
    await this.dataSource.query(FORGET);
  }
}
