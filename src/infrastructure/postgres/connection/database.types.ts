import type { EntityManager, MigrationInterface } from 'typeorm';

export interface DatabaseConfig {
  /** `postgres://…`; null runs the embedded engine inside `dataDir`. */
  readonly url: string | null;
  /** Login that owns the tables, where `url` has another one. It migrates and changes the schema. */
  readonly ownerUrl?: string | null;
  /** The server itself, when `url` names a pooler in transaction mode. */
  readonly sessionUrl?: string | null;
  readonly dataDir: string;
  readonly poolSize: number;
}

/** A running transaction. Services only pass it on to repositories. */
export type Transaction = EntityManager;

export type MigrationClass = new () => MigrationInterface;

/**
 * `migrate` applies pending migrations. `check` refuses a schema that is not current, and migrates a new embedded
 * database. `skip` does neither.
 */
export type SchemaOnOpen = 'migrate' | 'check' | 'skip';
