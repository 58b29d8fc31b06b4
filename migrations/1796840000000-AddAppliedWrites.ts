import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids of writes that add, such as a batch of usage: a repetition whose answer was lost adds nothing. Kept for hours. */
export class AddAppliedWrites1796840000000 implements MigrationInterface {
  readonly name = 'AddAppliedWrites1796840000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE applied_writes (
        id uuid CONSTRAINT applied_writes_pk PRIMARY KEY,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE applied_writes');
  }
}
