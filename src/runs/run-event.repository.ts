import type { RunStatus, StampedRunEvent } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations } from '../infrastructure/database';
import type { SealedRuns } from './run-lines';
import { END_RUN, rowArrays, segmentArrays, toRow } from './run-sql';
import type { LoggedEvent } from './run.types';

export interface EventBatch {
  readonly runId: string;
  readonly events: readonly LoggedEvent[];
}

/** The row lock orders this statement and the end of the run: no event follows the terminal one. */
const APPEND = `
  WITH batch AS (
    SELECT * FROM json_to_recordset($1::json) AS b(run_id uuid, seq integer, type text, data text, at timestamptz)
  ), owned AS (
    SELECT id FROM runs
    WHERE id IN (SELECT run_id FROM batch) AND worker_id = $2 AND status = 'running'
    ORDER BY id FOR SHARE
  ), told AS (
    INSERT INTO run_events (run_id, seq, type, data, at)
    SELECT run_id, seq, type, data, at FROM batch WHERE run_id IN (SELECT id FROM owned)
    ON CONFLICT (run_id, seq) DO NOTHING
  )
  SELECT id FROM owned`;

const PAGE = `
  SELECT seq, type, data, at FROM run_events WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`;

const LAST = `SELECT coalesce(max(seq), 0)::int AS seq FROM run_events WHERE run_id = $1`;

/** New events of several runs, at most `$3` of each. */
const NEWS = `
  SELECT e.run_id, e.seq, e.type, e.data, e.at
  FROM unnest($1::uuid[], $2::int[]) AS t (id, seq)
  CROSS JOIN LATERAL (
    SELECT * FROM run_events WHERE run_id = t.id AND run_events.seq > t.seq ORDER BY run_events.seq LIMIT $3
  ) e
  ORDER BY e.run_id, e.seq`;

const STATES = `SELECT id, status FROM runs WHERE id = ANY($1)`;

const DOCUMENTS = `
  SELECT data FROM run_events WHERE run_id = $1 AND type <> 'llm.delta' ORDER BY seq`;

const DELTAS = `
  SELECT data FROM run_events WHERE run_id = $1 AND type = 'llm.delta' ORDER BY seq`;

interface EventRow {
  readonly run_id: string;
  readonly seq: number;
  readonly type: LoggedEvent['type'];
  readonly data: string;
  readonly at: Date;
}

const eventOf = ({ seq, type, data, at }: EventRow): LoggedEvent => ({ seq, type, data, at: at.toISOString() });

const rowsOf = ({ runId, events }: EventBatch): object[] =>
  events.map(({ seq, type, data, at }) => ({ run_id: runId, seq, type, data, at }));

/** The log of background runs. */
@Injectable()
export class RunEventRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Writes events of runs that this worker still owns. Returns the owned runs. */
  @AcrossOrganizations('batches')
  async append(workerId: string, batches: readonly EventBatch[]): Promise<ReadonlySet<string>> {
    const rows = JSON.stringify(batches.flatMap(rowsOf));
    const owned = await this.dataSource.query<{ id: string }[]>(APPEND, [rows, workerId]);
    return new Set(owned.map(({ id }) => id));
  }

  /** Writes one run, its segment and its last events in one statement. False, and nothing changes, when the worker has lost the run. */
  @AcrossOrganizations('batches')
  async end(
    workerId: string,
    { records, places, segments }: SealedRuns,
    events: readonly LoggedEvent[],
  ): Promise<boolean> {
    const rows = records.map((record) => toRow(record, workerId, places.get(record.id)));
    const told = JSON.stringify(records.flatMap(({ id }) => rowsOf({ runId: id, events })));
    const parameters = [...rowArrays(rows), workerId, told, ...segmentArrays(segments)];
    const ended = await this.dataSource.query<object[]>(END_RUN, parameters);
    return ended.length > 0;
  }

  async page(runId: string, after: number, limit: number): Promise<LoggedEvent[]> {
    const rows = await this.dataSource.query<EventRow[]>(PAGE, [runId, after, limit]);
    return rows.map(eventOf);
  }

  async lastSeq(runId: string): Promise<number> {
    const [{ seq }] = await this.dataSource.query<[{ seq: number }]>(LAST, [runId]);
    return seq;
  }

  /** Events by run, in order. */
  @AcrossOrganizations('batches')
  async news(after: ReadonlyMap<string, number>, limit: number): Promise<Map<string, LoggedEvent[]>> {
    const rows = await this.dataSource.query<EventRow[]>(NEWS, [[...after.keys()], [...after.values()], limit]);
    const found = new Map<string, LoggedEvent[]>();
    for (const row of rows) {
      const events = found.get(row.run_id);
      if (events === undefined) found.set(row.run_id, [eventOf(row)]);
      else events.push(eventOf(row));
    }
    return found;
  }

  /** Runs without a row are missing. */
  @AcrossOrganizations('batches')
  async states(ids: readonly string[]): Promise<Map<string, RunStatus>> {
    const rows = await this.dataSource.query<{ id: string; status: RunStatus }[]>(STATES, [ids]);
    return new Map(rows.map(({ id, status }) => [id, status]));
  }

  /** All events except deltas. */
  async documents(runId: string): Promise<StampedRunEvent[]> {
    const rows = await this.dataSource.query<{ data: string }[]>(DOCUMENTS, [runId]);
    return rows.map(({ data }) => JSON.parse(data) as StampedRunEvent);
  }

  /** The model's text so far; null without any. */
  async answer(runId: string): Promise<string | null> {
    const rows = await this.dataSource.query<{ data: string }[]>(DELTAS, [runId]);
    // Parsed here, because PostgreSQL cannot unescape texts that it cannot store.
    return rows.length === 0 ? null : rows.map(({ data }) => (JSON.parse(data) as { text: string }).text).join('');
  }
}
