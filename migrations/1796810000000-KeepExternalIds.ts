import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The directory's id of people who sign in by OpenID Connect, by which SCIM finds them. */
export class KeepExternalIds1796810000000 implements MigrationInterface {
  readonly name = 'KeepExternalIds1796810000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE oidc_identities ADD COLUMN external_id text');
    await queryRunner.query(
      'CREATE INDEX oidc_identities_external_idx ON oidc_identities (organization_id, external_id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE oidc_identities DROP COLUMN external_id');
  }
}
