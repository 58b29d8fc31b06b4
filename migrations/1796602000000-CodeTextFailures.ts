import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The code beside the sentence of a document that cannot be read, which the UI words in the reader's language. */
export class CodeTextFailures1796602000000 implements MigrationInterface {
  readonly name = 'CodeTextFailures1796602000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE file_texts ADD COLUMN failure_code text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE file_texts DROP COLUMN failure_code');
  }
}
