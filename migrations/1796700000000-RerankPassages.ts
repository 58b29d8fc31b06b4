import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Knowledge bases whose passages the organization's reranker sorts. */
export class RerankPassages1796700000000 implements MigrationInterface {
  readonly name = 'RerankPassages1796700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE knowledge_bases ADD COLUMN rerank boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE knowledge_bases DROP COLUMN rerank');
  }
}
