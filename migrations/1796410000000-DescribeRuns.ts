import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns that a list of runs shows: the question, the version of the assistant, failed steps and the cost. */
export class DescribeRuns1796410000000 implements MigrationInterface {
  readonly name = 'DescribeRuns1796410000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE runs
        ADD COLUMN question text,
        ADD COLUMN assistant_version integer,
        ADD COLUMN problems integer NOT NULL DEFAULT 0,
        ADD COLUMN cost_micros bigint`);
    await queryRunner.query('CREATE INDEX runs_problems_idx ON runs (organization_id, id) WHERE problems > 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX runs_problems_idx');
    await queryRunner.query(`
      ALTER TABLE runs DROP COLUMN cost_micros, DROP COLUMN problems, DROP COLUMN assistant_version, DROP COLUMN question`);
  }
}
