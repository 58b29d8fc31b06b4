import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Parts of a document that reading left out, and the file of its passages while a replacement is not in force. */
export class KeepAnsweringFiles1795370005000 implements MigrationInterface {
  readonly name = 'KeepAnsweringFiles1795370005000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE kb_documents
        ADD COLUMN warnings text[] NOT NULL DEFAULT '{}',
        ADD COLUMN answering jsonb,
        ADD COLUMN setback jsonb,
        ADD COLUMN unused_files text[] NOT NULL DEFAULT '{}'`);
    await queryRunner.query(`
      CREATE INDEX kb_documents_unused_files_idx ON kb_documents (id) WHERE unused_files <> '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP INDEX kb_documents_unused_files_idx`);
    await queryRunner.query(`
      ALTER TABLE kb_documents
        DROP COLUMN warnings, DROP COLUMN answering, DROP COLUMN setback, DROP COLUMN unused_files`);
  }
}
