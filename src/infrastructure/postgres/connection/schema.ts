import { OperatorError } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';

export interface SchemaStatus {
  /** Names in the order in which they were applied. */
  readonly applied: readonly string[];
  /** Known to this build, missing in the database. */
  readonly pending: readonly string[];
  /** Applied by a newer build than this one. */
  readonly unknown: readonly string[];
  /** The migrations of `unknown` that may have removed something which this build uses. */
  readonly contracted: readonly string[];
}

export class SchemaMismatchError extends OperatorError {
  readonly code = 'schema_mismatch';

  constructor(readonly status: SchemaStatus) {
    super(
      status.unknown.length > 0
        ? `The database schema is newer than this build, by ${steps(status.unknown)}. Start the newer build, or revert ` +
            'with it first (db:revert).'
        : `The database schema is older than this build, by ${steps(status.pending)}. Run db:migrate, or start the service once.`,
    );
  }
}

/**
 * Expand and contract: migrations only add, so that older builds keep serving. The name of one that removes something
 * begins with this word. The database stores the names, so older builds recognize it too.
 */
const CONTRACTION = /^Contract(?=[A-Z])/;

/** Counts only: `db:status` lists the names. */
const steps = (names: readonly string[]): string => `${names.length} migration${names.length === 1 ? '' : 's'}`;

/**
 * Compares the migrations of the database with those of this build. Only reads: also safe on a replica or before the
 * first migration.
 */
export async function schemaStatus(dataSource: DataSource): Promise<SchemaStatus> {
  const known = dataSource.migrations
    .map((migration) => migration.name ?? migration.constructor.name)
    .sort((one, other) => timestampOf(one) - timestampOf(other));
  const applied = await appliedMigrations(dataSource);
  const unknown = applied.filter((name) => !known.includes(name));
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown,
    contracted: unknown.filter(isContraction),
  };
}

export const isContraction = (name: string): boolean => CONTRACTION.test(name);

/** Whether this build can serve on the schema: its own, or one to which newer builds only added. */
export const isUsable = ({ pending, contracted }: SchemaStatus): boolean =>
  pending.length === 0 && contracted.length === 0;

/** True before the first migration. */
export async function schemaIsEmpty(dataSource: DataSource): Promise<boolean> {
  return (await appliedMigrations(dataSource)).length === 0;
}

/** @throws {SchemaMismatchError} when this build cannot use the schema. */
export async function assertSchemaIsUsable(dataSource: DataSource): Promise<void> {
  const status = await schemaStatus(dataSource);
  if (!isUsable(status)) throw new SchemaMismatchError(status);
}

async function appliedMigrations(dataSource: DataSource): Promise<string[]> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  if (!exists) return [];
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** TypeORM's convention: the last 13 characters of a migration's name are its epoch milliseconds. */
export const timestampOf = (name: string): number => Number(name.slice(-13));
