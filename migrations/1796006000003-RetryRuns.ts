import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a background run was begun again, and whether a vendor may have been asked: then it is not. */
export class RetryRuns1796006000003 implements MigrationInterface {
  readonly name = 'RetryRuns1796006000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE run_requests
        ADD COLUMN retries integer NOT NULL DEFAULT 0,
        ADD COLUMN vendor_asked boolean NOT NULL DEFAULT false`);
    // The previous version did not record whether it had asked a vendor.
    await queryRunner.query(`
      UPDATE run_requests SET vendor_asked = true
      WHERE run_id IN (SELECT id FROM runs WHERE background AND status = 'running')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE run_requests DROP COLUMN vendor_asked, DROP COLUMN retries');
  }
}
