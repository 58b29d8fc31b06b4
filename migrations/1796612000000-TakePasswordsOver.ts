import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passwords of another installation, each for one sign-in, and the links to providers that such a sign-in may make. */
export class TakePasswordsOver1796612000000 implements MigrationInterface {
  readonly name = 'TakePasswordsOver1796612000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE imported_passwords (
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        hash text NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        blocked_until timestamptz,
        expires_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT imported_passwords_pk PRIMARY KEY (organization_id, user_id),
        CONSTRAINT imported_passwords_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX imported_passwords_user_idx ON imported_passwords (user_id)');
    await queryRunner.query('ALTER TABLE sessions ADD COLUMN by_password boolean NOT NULL DEFAULT false');
    await queryRunner.query(
      'ALTER TABLE oidc_attempts ADD COLUMN link_organization_id uuid, ADD COLUMN link_user_id uuid',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE oidc_attempts DROP COLUMN link_user_id, DROP COLUMN link_organization_id');
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN by_password');
    await queryRunner.query('DROP TABLE imported_passwords');
  }
}
