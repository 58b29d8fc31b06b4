import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Texts that tools found for an answer, and whether the readers of the answer may see them. */
export class KeepPassages1796225000000 implements MigrationInterface {
  readonly name = 'KeepPassages1796225000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE runs ADD COLUMN passages jsonb NOT NULL DEFAULT '[]'`);
    await queryRunner.query(`ALTER TABLE knowledge_bases ADD COLUMN passages_shown boolean NOT NULL DEFAULT true`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE knowledge_bases DROP COLUMN passages_shown`);
    await queryRunner.query(`ALTER TABLE runs DROP COLUMN passages`);
  }
}
