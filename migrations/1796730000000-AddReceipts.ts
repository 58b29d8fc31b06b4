import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Request and output of a run, so that it can be replayed, and its signed receipt. */
export class AddReceipts1796730000000 implements MigrationInterface {
  readonly name = 'AddReceipts1796730000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE receipt_keys (
        kid text CONSTRAINT receipt_keys_pk PRIMARY KEY,
        public_key text NOT NULL,
        private_key text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(
      'ALTER TABLE runs ADD COLUMN recording text, ADD COLUMN receipt text, ADD COLUMN replay jsonb',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE runs DROP COLUMN recording, DROP COLUMN receipt, DROP COLUMN replay');
    await queryRunner.query('DROP TABLE receipt_keys');
  }
}
