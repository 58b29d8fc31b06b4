import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Platforms that register themselves, by an address that an administrator gave, and wait for an approval. */
export class RegisterPlatforms1796611000001 implements MigrationInterface {
  readonly name = 'RegisterPlatforms1796611000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_registrations (
        hash text CONSTRAINT lti_registrations_pk PRIMARY KEY,
        organization_id uuid NOT NULL
          CONSTRAINT lti_registrations_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        created_by uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        claimed_at timestamptz
      )`);
    await queryRunner.query('CREATE INDEX lti_registrations_organization_idx ON lti_registrations (organization_id)');
    await queryRunner.query('ALTER TABLE lti_platforms ADD COLUMN awaits_approval boolean NOT NULL DEFAULT false');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE lti_platforms DROP COLUMN awaits_approval');
    await queryRunner.query('DROP TABLE lti_registrations');
  }
}
