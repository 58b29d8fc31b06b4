import { OperatorError } from '@bellwether/kernel';
import type { DataSource } from 'typeorm';
import { EARLIER_MIGRATIONS, isBaseline, LAST_OF_EARLIER } from './earlier-migrations';

export interface SchemaStatus {
  /** Names in the order in which they were applied. */
  readonly applied: readonly string[];
  /** Known to this build, missing in the database. */
  readonly pending: readonly string[];
  /** Applied by a newer build than this one. */
  readonly unknown: readonly string[];
  /** The migrations of `unknown` that may have removed something which this build uses. */
  readonly contracted: readonly string[];
  /** Applied before there were baselines; not among the others. */
  readonly earlier: readonly string[];
}

export class SchemaMismatchError extends OperatorError {
  readonly code = 'schema_mismatch';

  constructor(readonly status: SchemaStatus) {
    super(adviceFor(status));
  }
}

/**
 * Expand and contract: migrations only add, so that older builds keep serving. The name of one that removes something
 * begins with this word. The database stores the names, so older builds recognize it too.
 */
const CONTRACTION = /^Contract(?=[A-Z])/;

function adviceFor(status: SchemaStatus): string {
  const { unknown, earlier, pending } = status;
  if (unknown.length > 0) {
    return (
      `The database schema is newer than this build, by ${steps(unknown)}. Start the newer build, or revert ` +
      'with it first (db:revert).'
    );
  }
  if (isHalfway(status)) {
    return (
      `The database schema is of November 2026, with ${earlier.length} of ${EARLIER_MIGRATIONS.length} migrations of that ` +
      `time. Start the build of commit ${LAST_OF_EARLIER} once, which applies the others, then this one.`
    );
  }
  return `The database schema is older than this build, by ${steps(pending)}. Run db:migrate, or start the service once.`;
}

/** Too old for this build, which does not have the missing ones of the earlier migrations. */
export const isHalfway = ({ earlier, pending }: SchemaStatus): boolean =>
  earlier.length > 0 && earlier.length < EARLIER_MIGRATIONS.length && pending.some(isBaseline);

/** Counts only: `db:status` lists the names. */
const steps = (names: readonly string[]): string => `${names.length} migration${names.length === 1 ? '' : 's'}`;

/**
 * Compares the migrations of the database with those of this build. Only reads: also safe on a replica or before the
 * first migration.
 */
export async function schemaStatus(dataSource: DataSource): Promise<SchemaStatus> {
  const known = dataSource.migrations
    .map((migration) => migration.name ?? migration.constructor.name)
    .sort((one, other) => numberOf(one) - numberOf(other));
  const stored = await appliedMigrations(dataSource);
  const applied = stored.filter((name) => !EARLIER_MIGRATIONS.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  return {
    applied,
    pending: known.filter((name) => !applied.includes(name)),
    unknown,
    contracted: unknown.filter(isContraction),
    earlier: stored.filter((name) => EARLIER_MIGRATIONS.includes(name)),
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

/** TypeORM's convention: the last 13 characters of a migration's name order it. */
export const numberOf = (name: string): number => Number(name.slice(-13));
