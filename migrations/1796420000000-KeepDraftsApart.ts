import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of definitions that are not saved, and the version of a published assistant that its users get. */
export class KeepDraftsApart1796420000000 implements MigrationInterface {
  readonly name = 'KeepDraftsApart1796420000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE runs ADD COLUMN draft boolean NOT NULL DEFAULT false`);
    await queryRunner.query(`ALTER TABLE assistants ADD COLUMN live_version integer`);
    await queryRunner.query(`UPDATE assistants SET live_version = version WHERE published`);
    await queryRunner.query(`
      ALTER TABLE assistants ADD CONSTRAINT assistants_live_version_ck CHECK (published OR live_version IS NULL)`);
    await queryRunner.query(`ALTER TABLE assistant_versions ADD COLUMN collection_ids jsonb`);
    await queryRunner.query(`
      UPDATE assistant_versions AS kept SET collection_ids = assistants.collection_ids
      FROM assistants WHERE assistants.id = kept.assistant_id`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE assistant_versions DROP COLUMN collection_ids`);
    await queryRunner.query(`ALTER TABLE assistants DROP COLUMN live_version`);
    await queryRunner.query(`ALTER TABLE runs DROP COLUMN draft`);
  }
}
