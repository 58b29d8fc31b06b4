import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A trusted extension since PostgreSQL 13: the owner of the database may install it. No row: the server lacks it. */
const TRIGRAMS = `
  SELECT installed_version IS NOT NULL AS installed, has_database_privilege(current_database(), 'CREATE') AS "mayInstall"
  FROM pg_available_extensions WHERE name = 'pg_trgm'`;

const CHANGED = '(organization_id, id) WHERE live_version <> version AND deleted_at IS NULL';
const TEXT = String.raw`USING gin ((name || E'\n' || description) gin_trgm_ops) WHERE deleted_at IS NULL`;

/** Trigram index for the search in names and descriptions. Without the extension, a search reads every row. */
export class IndexAssistantTexts1796630400000 implements MigrationInterface {
  readonly name = 'IndexAssistantTexts1796630400000';
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await build(queryRunner, 'assistants_changed_idx', CHANGED);
    const [found] = (await queryRunner.query(TRIGRAMS)) as { installed: boolean; mayInstall: boolean }[];
    if (found === undefined || !(found.installed || found.mayInstall)) return;
    if (!found.installed) await queryRunner.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await build(queryRunner, 'assistants_text_idx', TEXT);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX IF EXISTS assistants_text_idx');
    await queryRunner.query('DROP INDEX assistants_changed_idx');
  }
}

async function build(queryRunner: QueryRunner, name: string, definition: string): Promise<void> {
  await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON assistants ${definition}`);
}
