import type { EntityManager, MigrationInterface } from 'typeorm';

/** Which PostgreSQL to use and how many connections to it. */
export interface DatabaseConfig {
  /** `postgres://…`; null runs the embedded engine inside `dataDir`. */
  readonly url: string | null;
  readonly dataDir: string;
  readonly poolSize: number;
}

/** A running transaction, opaque to services: they pass it on to repositories and nothing else. */
export type Transaction = EntityManager;

export type MigrationClass = new () => MigrationInterface;

/**
 * `migrate` brings the schema up to date first; `check` refuses to open a schema that is not current,
 * and makes that of a new embedded database; `skip` does neither.
 */
export type SchemaOnOpen = 'migrate' | 'check' | 'skip';
