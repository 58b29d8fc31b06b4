import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotas are counted before a call; assistants published everywhere, and questions to them, are found by an index. */
export class CountAssistantCalls1796005000000 implements MigrationInterface {
  readonly name = 'CountAssistantCalls1796005000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE assistant_call_counts (
        organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
        counted text NOT NULL,
        most integer NOT NULL,
        slots jsonb NOT NULL,
        CONSTRAINT assistant_call_counts_pk PRIMARY KEY (organization_id, counted)
      )`);
    await queryRunner.query(`
      CREATE INDEX assistants_published_to_all_idx ON assistants (id)
      WHERE published_to_all AND published AND deleted_at IS NULL`);
    await queryRunner.query(`
      CREATE INDEX runs_asked_elsewhere_idx ON runs (caller_organization_id, user_id)
      WHERE caller_organization_id IS NOT NULL AND parent_run_id IS NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX runs_asked_elsewhere_idx');
    await queryRunner.query('DROP INDEX assistants_published_to_all_idx');
    await queryRunner.query('DROP TABLE assistant_call_counts');
  }
}
