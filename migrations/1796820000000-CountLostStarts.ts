import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Starts of a document's ingestion whose process ended: after the second, the document is set aside. */
export class CountLostStarts1796820000000 implements MigrationInterface {
  readonly name = 'CountLostStarts1796820000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE kb_documents ADD COLUMN lost_starts smallint NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE kb_documents DROP COLUMN lost_starts');
  }
}
