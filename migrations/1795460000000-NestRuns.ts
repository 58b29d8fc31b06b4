import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs inside runs: whose behalf they ran on, and which organization asked when it is not the one that pays. */
export class NestRuns1795460000000 implements MigrationInterface {
  readonly name = 'NestRuns1795460000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE runs ADD COLUMN parent_run_id uuid, ADD COLUMN caller_organization_id uuid`);
    await queryRunner.query(`CREATE INDEX runs_parent_idx ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX runs_parent_idx`);
    await queryRunner.query(`ALTER TABLE runs DROP COLUMN parent_run_id, DROP COLUMN caller_organization_id`);
  }
}
