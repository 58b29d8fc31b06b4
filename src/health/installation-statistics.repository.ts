import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, JOB_SCHEMA } from '../infrastructure/database';
import type { InstallationFigures, MeasuredFigures, QueueFigures, TableFigures } from './figures.types';

/** A series each: an installation has some sixty tables. */
const MOST_TABLES = 40;

/** The one row. */
const NAME = 'installation';

const READ = `
  SELECT figures, measured_at, measured_at > now() - make_interval(secs => $1) AS fresh
  FROM installation_figures WHERE name = '${NAME}' AND figures IS NOT NULL`;

/** One process measures; its claim ends by itself, in case it dies. */
const CLAIM = `
  INSERT INTO installation_figures AS held (name, claimed_at) VALUES ('${NAME}', now())
  ON CONFLICT (name) DO UPDATE SET claimed_at = now() WHERE held.claimed_at < now() - make_interval(secs => $1)
  RETURNING name`;

const KEEP = `UPDATE installation_figures SET figures = $1, measured_at = now() WHERE name = '${NAME}'`;

const TABLES = `
  SELECT relname AS table, pg_table_size(oid)::float8 AS bytes, pg_indexes_size(oid)::float8 AS index_bytes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
  ORDER BY pg_total_relation_size(oid) DESC LIMIT ${MOST_TABLES}`;

const QUEUES = `
  SELECT name AS queue,
    count(*) FILTER (WHERE state < 'active' AND start_after <= now())::int AS waiting,
    count(*) FILTER (WHERE state < 'active' AND start_after > now())::int AS delayed,
    count(*) FILTER (WHERE state = 'active')::int AS active,
    count(*) FILTER (WHERE state = 'failed' AND completed_on > now() - interval '1 hour')::int AS failed,
    coalesce(extract(epoch FROM now() - min(start_after) FILTER (WHERE state < 'active' AND start_after <= now())), 0)
      ::float8 AS oldest_seconds
  FROM ${JOB_SCHEMA}.job WHERE state <> 'completed' GROUP BY name ORDER BY name`;

@Injectable()
export class InstallationStatisticsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** The figures that any process measured last; `fresh` when no older than `seconds`. */
  @AcrossOrganizations('figures')
  async read(seconds: number): Promise<{ readonly figures: MeasuredFigures; readonly fresh: boolean } | null> {
    const [row] = await this.dataSource.query<{ figures: InstallationFigures; measured_at: Date; fresh: boolean }[]>(
      READ,
      [seconds],
    );
    return row === undefined ? null : { figures: { ...row.figures, measuredAt: row.measured_at }, fresh: row.fresh };
  }

  /** True for the one process that shall measure now. */
  @AcrossOrganizations('figures')
  async claim(seconds: number): Promise<boolean> {
    const rows = await this.dataSource.query<object[]>(CLAIM, [seconds]);
    return rows.length > 0;
  }

  @AcrossOrganizations('figures')
  async measure(): Promise<MeasuredFigures> {
    const [size] = await this.dataSource.query<[{ bytes: number }]>(
      'SELECT pg_database_size(current_database())::float8 AS bytes',
    );
    const tables = await this.dataSource.query<TableFigures[]>(TABLES);
    const queues = await this.dataSource.query<QueueFigures[]>(QUEUES);
    const figures: InstallationFigures = { database_bytes: size.bytes, tables, queues };
    await this.dataSource.query(KEEP, [JSON.stringify(figures)]);
    return { ...figures, measuredAt: new Date() };
  }
}
