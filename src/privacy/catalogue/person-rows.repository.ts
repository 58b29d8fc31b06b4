import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { JsonObject } from '../../kernel';
import type { Transaction } from '../../infrastructure/database';
import type { PersonTable } from './person-table.types';

/** The person in one organization. */
export interface PersonIn {
  readonly organizationId: string;
  readonly userId: string;
}

/** Reads and erases rows about a person by the list of `PERSON_TABLES`. */
@Injectable()
export class PersonRowsRepository {
  constructor(private readonly dataSource: DataSource) {}

  async count({ table, rows }: PersonTable, person: PersonIn): Promise<number> {
    const sql = `SELECT count(*)::int AS count FROM ${table} t WHERE ${rows}`;
    const [found] = await this.dataSource.query<[{ count: number }]>(sql, valuesOf(person));
    return found.count;
  }

  /** Rows after the key, ordered by it, with the exported columns. */
  page(
    { table, rows, key, exported }: PersonTable,
    person: PersonIn,
    after: string | null,
    limit: number,
  ): Promise<{ key: string; row: JsonObject }[]> {
    const columns = typeof exported === 'string' ? [] : (exported ?? []);
    const sql = `
      SELECT (${key}) COLLATE "C" AS key, to_jsonb(shown) AS row
      FROM ${table} t CROSS JOIN LATERAL (SELECT ${columns.join(', ')}) shown
      WHERE ${rows} AND ($3::text IS NULL OR (${key}) COLLATE "C" > $3) ORDER BY 1 LIMIT ${limit}`;
    return this.dataSource.query(sql, [...valuesOf(person), after]);
  }

  /** Deletes or anonymises up to `limit` rows. Returns their number. */
  async treat(
    { table, rows, erasure }: PersonTable,
    person: PersonIn,
    limit: number,
    tx: Transaction,
  ): Promise<number> {
    if (erasure.by === 'merge') return (await tx.query<object[]>(erasure.statement, valuesOf(person))).length;
    const some = `SELECT t.ctid FROM ${table} t WHERE ${rows} LIMIT ${limit} FOR UPDATE`;
    const sql =
      erasure.by === 'anonymise'
        ? `UPDATE ${table} SET ${erasure.set} WHERE ctid = ANY(ARRAY(${some}))`
        : `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(${some}))`;
    const [, affected] = await tx.query<[unknown, number]>(sql, valuesOf(person));
    return affected;
  }
}

const valuesOf = ({ organizationId, userId }: PersonIn): string[] => [organizationId, userId];
