import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ids that knowledge bases had on a server they were imported from. */
export class AliasKnowledgeBases1796530001000 implements MigrationInterface {
  readonly name = 'AliasKnowledgeBases1796530001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE knowledge_bases ADD COLUMN alias text,
        ADD CONSTRAINT knowledge_bases_alias_uq UNIQUE (organization_id, alias)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE knowledge_bases DROP COLUMN alias');
  }
}
