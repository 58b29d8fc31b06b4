import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Text of PDFs and other documents among the files: one row per file, replaced when its content changes. */
export class KeepFileTexts1796003000000 implements MigrationInterface {
  readonly name = 'KeepFileTexts1796003000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE file_texts (
        file_id uuid NOT NULL CONSTRAINT file_texts_file_fk REFERENCES files (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL,
        sha256 text NOT NULL,
        text text NOT NULL,
        total_chars integer NOT NULL,
        warnings text[] NOT NULL,
        failure text,
        extracted_at timestamptz NOT NULL,
        CONSTRAINT file_texts_pk PRIMARY KEY (file_id)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE file_texts');
  }
}
