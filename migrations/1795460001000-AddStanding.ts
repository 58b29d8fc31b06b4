import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Assistants that are switched off or published to all organizations, and organizations that are suspended. */
export class AddStanding1795460001000 implements MigrationInterface {
  readonly name = 'AddStanding1795460001000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE assistants
        ADD COLUMN disabled boolean NOT NULL DEFAULT false,
        ADD COLUMN published_to_all boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT assistants_published_to_all_ck CHECK (published OR NOT published_to_all)`);
    await queryRunner.query(`ALTER TABLE organizations ADD COLUMN suspended boolean NOT NULL DEFAULT false`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE organizations DROP COLUMN suspended`);
    await queryRunner.query(`
      ALTER TABLE assistants
        DROP CONSTRAINT assistants_published_to_all_ck, DROP COLUMN disabled, DROP COLUMN published_to_all`);
  }
}
