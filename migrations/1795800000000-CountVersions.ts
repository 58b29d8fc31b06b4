import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['prompt_templates', 'rubrics', 'knowledge_bases', 'organizations'];

/** What people change counts its versions, as assistants do, so that nobody overwrites what somebody else saved meanwhile. */
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
