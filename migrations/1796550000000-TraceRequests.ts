import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The HTTP request that asked, so that a failed run leads to the lines of the log. */
export class TraceRequests1796550000000 implements MigrationInterface {
  readonly name = 'TraceRequests1796550000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE runs ADD COLUMN request_id text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE runs DROP COLUMN request_id');
  }
}
