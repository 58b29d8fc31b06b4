import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A knowledge base knows the languages of its documents and the form of its index. Existing indexes have the first form. */
export class UnderstandQuestions1796630000000 implements MigrationInterface {
  readonly name = 'UnderstandQuestions1796630000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE knowledge_bases
        ADD COLUMN index_version integer NOT NULL DEFAULT 1,
        ADD COLUMN languages text[] NOT NULL DEFAULT '{}',
        ADD COLUMN language_chosen boolean NOT NULL DEFAULT true`);
    await queryRunner.query(`UPDATE knowledge_bases SET languages = ARRAY[language] WHERE language IS NOT NULL`);
    await queryRunner.query(`UPDATE knowledge_bases SET language_chosen = false WHERE language IS NULL`);
    await queryRunner.query('CREATE INDEX knowledge_bases_index_version_idx ON knowledge_bases (index_version)');
    await queryRunner.query('ALTER TABLE kb_documents ADD COLUMN language text');
    await queryRunner.query(`
      UPDATE kb_documents d SET language = kb.language FROM knowledge_bases kb
      WHERE kb.id = d.knowledge_base_id AND d.generation IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE kb_documents DROP COLUMN language');
    await queryRunner.query(`
      ALTER TABLE knowledge_bases
        DROP COLUMN index_version, DROP COLUMN languages, DROP COLUMN language_chosen`);
  }
}
