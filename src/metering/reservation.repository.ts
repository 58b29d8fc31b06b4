import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction, Transactions } from '../infrastructure/database';
import type { AppliedRule } from './applied-rules';
import type { UsageSubject } from './usage.repository';

/** The part of a rule that a run holds. */
export interface HeldPart {
  readonly applied: AppliedRule;
  readonly reserved: number;
}

/** A counter as it is after a change. */
export interface CounterState {
  readonly ruleId: string;
  readonly subject: string;
  readonly amount: number;
  readonly used: number;
  readonly reserved: number;
}

/** A counter that has passed 50, 80 or 100 percent. */
export interface CounterWarning extends CounterState {
  readonly organizationId: string;
  readonly percent: number;
}

/** Estimate of a run's model calls. */
export interface RunEstimate {
  readonly provider: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
}

/** Facts with which a run can be booked whose process is gone. */
export interface ReservedRun extends RunEstimate {
  readonly subject: UsageSubject;
}

/** The stored form of a part. `charged` is booked when the process of the run is gone. */
interface StoredPart {
  readonly rule_id: string;
  readonly subject: string;
  readonly window_start: string;
  readonly reserved: number;
  readonly charged: number;
  readonly warns: boolean;
}

const PLACES: ReadonlySet<string> = new Set(['runs', 'streams']);

export const isPlace = ({ rule }: AppliedRule): boolean => PLACES.has(rule.limit);

export const storedPart = ({ applied, reserved }: HeldPart): StoredPart => ({
  rule_id: applied.rule.id,
  subject: applied.subject,
  window_start: applied.start.toISOString(),
  reserved,
  charged: isPlace(applied) ? 0 : reserved,
  warns: applied.end !== null && applied.rule.per !== 'minute',
});

export const partKey = ({ rule, subject }: AppliedRule): string => `${rule.id}\n${subject}`;

/**
 * `$1` organization, `$2` JSON of the parts. The row lock of the conflict makes each count exact: the condition reads the
 * counter after the last writer. All statements lock counters in the order of rule, subject and window.
 */
const TAKE = `
  INSERT INTO limit_counters AS held
    (organization_id, rule_id, subject, window_start, window_end, amount, used, reserved, warned, warnings)
  SELECT $1::uuid, w.rule_id, w.subject, w.window_start, w.window_end, w.amount, 0, w.taken, 0, '[]'
  FROM json_to_recordset($2::json) AS w(
    rule_id text, subject text, window_start timestamptz, window_end timestamptz, amount bigint, taken bigint)
  WHERE w.taken <= w.amount
  ORDER BY w.rule_id, w.subject, w.window_start
  ON CONFLICT ON CONSTRAINT limit_counters_pk DO UPDATE
  SET amount = excluded.amount, window_end = excluded.window_end, reserved = held.reserved + excluded.reserved
  WHERE held.used + held.reserved + excluded.reserved <= excluded.amount
  RETURNING rule_id AS "ruleId", subject, amount::float8, used::float8, reserved::float8`;

const INSERT = `
  INSERT INTO limit_reservations (id, organization_id, worker_id, expires_at, items, run)
  VALUES ($1, $2, $3, now() + make_interval(secs => $4), $5::jsonb, $6::jsonb)`;

/** Returns the items before the change: after a lost answer, they are more than the process knows. */
const CHANGE = `
  WITH old AS (SELECT id, items FROM limit_reservations WHERE id = $1 FOR UPDATE),
  changed AS (UPDATE limit_reservations r SET items = $2::jsonb, run = $3::jsonb FROM old WHERE r.id = old.id)
  SELECT items FROM old`;

const USED = `(c.used + l.added)`;
const LEVEL = `
  CASE WHEN NOT l.warns OR c.amount = 0 THEN 0
    WHEN ${USED} >= c.amount THEN 100 WHEN ${USED} >= c.amount * 0.8 THEN 80 WHEN ${USED} >= c.amount * 0.5 THEN 50
    ELSE 0 END`;

/**
 * `$1` organization, `$2` reservation, `$3` JSON of the parts with what was spent. `$4` true: a sweep, which needs an
 * expired reservation, or any with `$5`. A sweep leaves the id in `applied_writes`: the run that it charged counts the
 * difference. Without reservation and id, the run is settled, and a repetition counts nothing.
 */
const SETTLE = `
  WITH gone AS (
    DELETE FROM limit_reservations WHERE id = $2 AND (NOT $4::boolean OR expires_at <= now() OR $5::boolean)
    RETURNING id, items
  ), marked AS (
    INSERT INTO applied_writes (id) SELECT id FROM gone WHERE $4::boolean ON CONFLICT DO NOTHING
  ), swept AS (
    DELETE FROM applied_writes WHERE id = $2 AND NOT $4::boolean RETURNING id
  ), held AS (
    SELECT i.* FROM gone, jsonb_to_recordset(gone.items) AS i(
      rule_id text, subject text, window_start timestamptz, reserved bigint)
  ), locked AS (
    SELECT c.rule_id, c.subject, c.window_start, c.warned, g.warns, coalesce(h.reserved, 0) AS freed,
      g.spent - CASE WHEN EXISTS (SELECT FROM gone) THEN 0 ELSE g.charged END AS added
    FROM json_to_recordset($3::json) AS g(
      rule_id text, subject text, window_start timestamptz, charged bigint, spent bigint, warns boolean)
    JOIN limit_counters c USING (rule_id, subject, window_start)
    LEFT JOIN held h USING (rule_id, subject, window_start)
    WHERE c.organization_id = $1 AND (EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM swept))
    ORDER BY c.rule_id, c.subject, c.window_start FOR UPDATE OF c
  ), settled AS (
    UPDATE limit_counters c
    SET used = greatest(0, ${USED}),
        reserved = greatest(0, c.reserved - l.freed),
        warned = greatest(c.warned, ${LEVEL}),
        warnings = CASE WHEN ${LEVEL} > c.warned
          THEN c.warnings || jsonb_build_object('percent', ${LEVEL}, 'at', now()) ELSE c.warnings END
    FROM locked l
    WHERE c.organization_id = $1 AND c.rule_id = l.rule_id AND c.subject = l.subject AND c.window_start = l.window_start
    RETURNING c.rule_id, c.subject, c.amount, c.used, c.reserved, c.warned, l.warned AS before
  )
  SELECT EXISTS (SELECT FROM gone) AS freed, EXISTS (SELECT FROM swept) AS corrected, (
    SELECT coalesce(json_agg(json_build_object('ruleId', rule_id, 'subject', subject, 'amount', amount, 'used', used,
      'reserved', reserved, 'percent', warned)), '[]') FROM settled WHERE warned > before
  ) AS warnings`;

/** A refused run: the window has nothing left for others like it. */
const REFUSED = `
  WITH spent AS (
    SELECT c.organization_id, c.rule_id, c.subject, c.window_start
    FROM json_to_recordset($2::json) AS g(rule_id text, subject text, window_start timestamptz, warns boolean)
    JOIN limit_counters c USING (rule_id, subject, window_start)
    WHERE g.warns AND c.warned < 100 AND c.organization_id = $1
    ORDER BY c.rule_id, c.subject, c.window_start FOR UPDATE OF c
  ), marked AS (
    UPDATE limit_counters c
    SET warned = 100, warnings = c.warnings || jsonb_build_object('percent', 100, 'at', now())
    FROM spent s
    WHERE c.organization_id = s.organization_id AND c.rule_id = s.rule_id AND c.subject = s.subject
      AND c.window_start = s.window_start AND c.warned < 100
    RETURNING c.rule_id, c.subject, c.amount, c.used, c.reserved
  )
  SELECT rule_id AS "ruleId", subject, amount::float8, used::float8, reserved::float8, 100 AS percent FROM marked`;

const BEAT = `
  UPDATE limit_reservations SET expires_at = now() + make_interval(secs => $2) WHERE worker_id = $1 AND id = ANY($3)`;

const EXPIRED = `
  SELECT id, organization_id AS "organizationId", items, run FROM limit_reservations
  WHERE expires_at <= now() OR $1 ORDER BY id LIMIT 200`;

const FORGET = `
  DELETE FROM limit_counters
  WHERE (window_end < now() - make_interval(days => 400))
     OR (window_end - window_start <= interval '1 minute' AND window_end < now() - interval '1 hour')
     OR (window_end IS NULL AND reserved = 0)`;

export interface Reservation {
  readonly id: string;
  readonly organizationId: string;
}

export interface ExpiredReservation extends Reservation {
  readonly items: readonly StoredPart[];
  readonly run: ReservedRun;
}

interface SettledRow {
  readonly freed: boolean;
  readonly corrected: boolean;
  readonly warnings: readonly Omit<CounterWarning, 'organizationId'>[];
}

export interface Settled {
  readonly freed: boolean;
  /** Counters that have passed a warning level. */
  readonly warnings: readonly CounterWarning[];
}

class NothingLeft extends Error {
  constructor(readonly taken: readonly CounterState[]) {
    super('A counter has nothing left');
  }
}

const wanted = (parts: readonly HeldPart[]): string =>
  JSON.stringify(
    parts.map(({ applied, reserved }) => ({
      rule_id: applied.rule.id,
      subject: applied.subject,
      window_start: applied.start,
      window_end: applied.end,
      amount: applied.amount,
      taken: reserved,
    })),
  );

function beyond(parts: readonly HeldPart[], stored: readonly StoredPart[]): readonly HeldPart[] {
  return parts.flatMap(({ applied, reserved }) => {
    const start = applied.start.toISOString();
    const known = stored.find(
      (each) => each.rule_id === applied.rule.id && each.subject === applied.subject && each.window_start === start,
    );
    const more = reserved - (known?.reserved ?? 0);
    return more === 0 ? [] : [{ applied, reserved: more }];
  });
}

/** Counters of rules, and what running completions hold of them. All times are the database's. */
@Injectable()
export class ReservationRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: Transactions,
  ) {}

  /** Takes all parts or none. `complete` is false when a counter has not enough left. */
  @AcrossOrganizations('calls')
  reserve(
    { id, organizationId }: Reservation,
    parts: readonly HeldPart[],
    { workerId, seconds, run }: { readonly workerId: string; readonly seconds: number; readonly run: ReservedRun },
  ): Promise<{ complete: boolean; counters: readonly CounterState[] }> {
    return this.allOrNone(async (tx) => {
      const counters = await this.take(tx, organizationId, parts);
      const items = JSON.stringify(parts.map(storedPart));
      await tx.query(INSERT, [id, organizationId, workerId, seconds, items, JSON.stringify(run)]);
      return counters;
    });
  }

  /** Takes what `parts` hold beyond the stored ones; `parts` and `run` are the new whole. */
  @AcrossOrganizations('calls')
  grow(
    { id, organizationId }: Reservation,
    { parts, run }: { readonly parts: readonly HeldPart[]; readonly run: ReservedRun },
  ): Promise<{ complete: boolean; counters: readonly CounterState[] }> {
    return this.allOrNone(async (tx) => {
      const items = JSON.stringify(parts.map(storedPart));
      const [old] = await tx.query<{ items: readonly StoredPart[] }[]>(CHANGE, [id, items, JSON.stringify(run)]);
      // A swept run was charged its old parts; settling counts the difference.
      return old === undefined ? [] : this.take(tx, organizationId, beyond(parts, old.items));
    });
  }

  /** Books what was spent and frees the reservation, once. `freed` is false when it was gone. */
  @AcrossOrganizations('calls')
  async settle(
    { id, organizationId }: Reservation,
    spent: readonly (StoredPart & { readonly spent: number })[],
    sweep: 'no' | 'expired' | 'any' = 'no',
    tx: Transaction = this.dataSource.manager,
  ): Promise<Settled> {
    const values = [organizationId, id, JSON.stringify(spent), sweep !== 'no', sweep === 'any'];
    let [row] = await tx.query<[SettledRow]>(SETTLE, values);
    // A sweep at the same moment: its mark is visible to the next statement only.
    if (sweep === 'no' && !row.freed && !row.corrected) [row] = await tx.query<[SettledRow]>(SETTLE, values);
    return { freed: row.freed, warnings: row.warnings.map((warning) => ({ ...warning, organizationId })) };
  }

  /** Marks full counters once per window. */
  @AcrossOrganizations('calls')
  async refused(organizationId: string, parts: readonly HeldPart[]): Promise<readonly CounterWarning[]> {
    const items = JSON.stringify(parts.map(storedPart));
    const rows = await this.dataSource.query<Omit<CounterWarning, 'organizationId'>[]>(REFUSED, [
      organizationId,
      items,
    ]);
    return rows.map((row) => ({ ...row, organizationId }));
  }

  @AcrossOrganizations('jobs')
  async beat(workerId: string, seconds: number, ids: readonly string[]): Promise<void> {
    await this.dataSource.query(BEAT, [workerId, seconds, ids]);
  }

  /** `all`: this process has the database to itself and has just started. */
  @AcrossOrganizations('jobs')
  expired(all: boolean): Promise<ExpiredReservation[]> {
    return this.dataSource.query(EXPIRED, [all]);
  }

  /** Deletes counters of windows that nobody asks about any more. */
  @AcrossOrganizations('jobs')
  async forget(): Promise<void> {
    await this.dataSource.query(FORGET);
  }

  private async take(
    tx: Transaction,
    organizationId: string,
    parts: readonly HeldPart[],
  ): Promise<readonly CounterState[]> {
    const counters = await tx.query<CounterState[]>(TAKE, [organizationId, wanted(parts)]);
    if (counters.length < parts.length) throw new NothingLeft(counters);
    return counters;
  }

  private async allOrNone(
    work: (tx: Transaction) => Promise<readonly CounterState[]>,
  ): Promise<{ complete: boolean; counters: readonly CounterState[] }> {
    try {
      return { complete: true, counters: await this.transactions.run(work) };
    } catch (error) {
      if (error instanceof NothingLeft) return { complete: false, counters: error.taken };
      throw error;
    }
  }
}
