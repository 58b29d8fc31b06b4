import PgBoss from 'pg-boss';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of pg-boss, which brings them up to its own later versions itself, and what ingestion keeps per document. */
export class AddJobs1795370001000 implements MigrationInterface {
  readonly name = 'AddJobs1795370001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const [{ made }] = (await queryRunner.query(`SELECT to_regclass('pgboss.version') IS NOT NULL AS made`)) as [
      { made: boolean },
    ];
    // The script is a transaction of its own; the migration has one already.
    const script = PgBoss.getConstructionPlans('pgboss')
      .replace(/^\s*BEGIN;/, '')
      .replace(/COMMIT;\s*$/, '');
    if (!made) await queryRunner.query(script);
    await queryRunner.query(`
      ALTER TABLE kb_documents
        ADD COLUMN error_code text,
        ADD COLUMN claim uuid,
        ADD COLUMN claimed_until timestamptz,
        ADD COLUMN progress_current integer NOT NULL DEFAULT 0,
        ADD COLUMN progress_total integer NOT NULL DEFAULT 0,
        ADD COLUMN deleted_at timestamptz`);
    // Work left over by versions without claims: nobody is at it.
    await queryRunner.query(`
      UPDATE kb_documents SET status = 'pending' WHERE status = 'processing'`);
    await queryRunner.query(`
      CREATE INDEX kb_documents_unfinished_idx ON kb_documents (organization_id)
      WHERE status IN ('pending', 'processing') OR deleted_at IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX kb_documents_unfinished_idx`);
    await queryRunner.query(`
      ALTER TABLE kb_documents
        DROP COLUMN error_code, DROP COLUMN claim, DROP COLUMN claimed_until,
        DROP COLUMN progress_current, DROP COLUMN progress_total, DROP COLUMN deleted_at`);
    await queryRunner.query(`DROP SCHEMA IF EXISTS pgboss CASCADE`);
  }
}
