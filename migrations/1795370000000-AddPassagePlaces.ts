import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Location of a chunk in its document: pages and the section around it. Chunks made before are their own section. */
export class AddPassagePlaces1795370000000 implements MigrationInterface {
  readonly name = 'AddPassagePlaces1795370000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE kb_chunks ADD COLUMN page_end integer, ADD COLUMN section_start integer, ADD COLUMN section_end integer`);
    await queryRunner.query(`UPDATE kb_chunks SET section_start = start_offset, section_end = end_offset`);
    await queryRunner.query(`
      ALTER TABLE kb_chunks ALTER COLUMN section_start SET NOT NULL, ALTER COLUMN section_end SET NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE kb_chunks DROP COLUMN page_end, DROP COLUMN section_start, DROP COLUMN section_end`);
  }
}
