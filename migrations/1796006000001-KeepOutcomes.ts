import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The values of transactions that a request with an idempotency key has committed, written with them. */
export class KeepOutcomes1796006000001 implements MigrationInterface {
  readonly name = 'KeepOutcomes1796006000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE idempotency_records ADD COLUMN effects text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE idempotency_records DROP COLUMN effects');
  }
}
