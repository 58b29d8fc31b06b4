import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys that reach published assistants only. */
export class LimitKeysToPublished1796521000000 implements MigrationInterface {
  readonly name = 'LimitKeysToPublished1796521000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_keys ADD COLUMN published_only boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE api_keys DROP COLUMN published_only');
  }
}
