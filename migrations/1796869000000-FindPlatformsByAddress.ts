import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An issuer and a client id are public, so another organization may enter them first. They are unique within an organization
 * only; `proven_at` tells the platform that launched first.
 */
export class FindPlatformsByAddress1796869000000 implements MigrationInterface {
  readonly name = 'FindPlatformsByAddress1796869000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE lti_platforms ADD COLUMN proven_at timestamptz');
    await queryRunner.query(`
      UPDATE lti_platforms SET proven_at = created_at
      WHERE id IN (SELECT platform_id FROM lti_identities)`);
    await queryRunner.query('ALTER TABLE lti_platforms DROP CONSTRAINT lti_platforms_client_uq');
    await queryRunner.query(`
      ALTER TABLE lti_platforms
        ADD CONSTRAINT lti_platforms_client_uq UNIQUE (organization_id, issuer, client_id)`);
    await queryRunner.query('CREATE INDEX lti_platforms_issuer_idx ON lti_platforms (issuer, client_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX lti_platforms_issuer_idx');
    await queryRunner.query('ALTER TABLE lti_platforms DROP CONSTRAINT lti_platforms_client_uq');
    await queryRunner.query(
      'ALTER TABLE lti_platforms ADD CONSTRAINT lti_platforms_client_uq UNIQUE (issuer, client_id)',
    );
    await queryRunner.query('ALTER TABLE lti_platforms DROP COLUMN proven_at');
  }
}
