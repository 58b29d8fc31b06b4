import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Printed page numbers and names of sheets by page, from 1. Documents read before have none until they are read again. */
export class LabelPages1796710000000 implements MigrationInterface {
  readonly name = 'LabelPages1796710000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE kb_documents ADD COLUMN page_count integer, ADD COLUMN page_labels text[]`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE kb_documents DROP COLUMN page_count, DROP COLUMN page_labels`);
  }
}
