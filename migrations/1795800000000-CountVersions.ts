import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['prompt_templates', 'rubrics', 'knowledge_bases', 'organizations'];

/**
 * Versions of content that people edit, as assistants have them, so that nobody overwrites a meanwhile saved change.
 */
export class CountVersions1795800000000 implements MigrationInterface {
  readonly name = 'CountVersions1795800000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN version integer NOT NULL DEFAULT 1`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN version`);
  }
}
