import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-ins under way are limited by address, and a logout notice ends only the sessions that were there before it. */
export class LimitSignIns1796310000000 implements MigrationInterface {
  readonly name = 'LimitSignIns1796310000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE oidc_attempts ADD COLUMN address text NOT NULL DEFAULT ''`);
    await queryRunner.query('CREATE INDEX oidc_attempts_address_idx ON oidc_attempts (address, expires_at)');
    await queryRunner.query('ALTER TABLE sessions ADD COLUMN provider_issued_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN provider_issued_at');
    await queryRunner.query('ALTER TABLE oidc_attempts DROP COLUMN address');
  }
}
