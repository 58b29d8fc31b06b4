import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Column names that a part of a long table lacks. Chunks made before have none until their document is read again. */
export class KeepTableHeaders1796007000000 implements MigrationInterface {
  readonly name = 'KeepTableHeaders1796007000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE kb_chunks ADD COLUMN table_header text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE kb_chunks DROP COLUMN table_header`);
  }
}
