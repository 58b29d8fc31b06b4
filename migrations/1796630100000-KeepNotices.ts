import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notices about the search of an answer, for its readers. */
export class KeepNotices1796630100000 implements MigrationInterface {
  readonly name = 'KeepNotices1796630100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE conversation_messages ADD COLUMN notice jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE conversation_messages DROP COLUMN notice');
  }
}
