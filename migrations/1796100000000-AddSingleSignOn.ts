import type { MigrationInterface, QueryRunner } from 'typeorm';

/** OpenID providers of organizations, the people who come from them, sign-ins under way and sessions that they opened. */
export class AddSingleSignOn1796100000000 implements MigrationInterface {
  readonly name = 'AddSingleSignOn1796100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE oidc_issuers (
        id uuid CONSTRAINT oidc_issuers_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT oidc_issuers_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        key text NOT NULL CONSTRAINT oidc_issuers_key_key UNIQUE,
        name text NOT NULL,
        url text NOT NULL,
        client_id text NOT NULL,
        client_secret text,
        logo text,
        enabled boolean NOT NULL DEFAULT true,
        listed boolean NOT NULL DEFAULT true,
        for_all boolean NOT NULL DEFAULT false,
        settings jsonb NOT NULL DEFAULT '{}',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query('CREATE INDEX oidc_issuers_organization_idx ON oidc_issuers (organization_id)');
    await queryRunner.query('CREATE INDEX oidc_issuers_url_idx ON oidc_issuers (url)');
    await queryRunner.query(`
      CREATE TABLE oidc_identities (
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id uuid NOT NULL CONSTRAINT oidc_identities_user_fk REFERENCES users (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL CONSTRAINT oidc_identities_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        issuer_key text NOT NULL,
        email text,
        groups text[] NOT NULL DEFAULT '{}',
        claims jsonb NOT NULL DEFAULT '{}',
        claims_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT oidc_identities_pk PRIMARY KEY (issuer, subject)
      )`);
    await queryRunner.query(
      'CREATE INDEX oidc_identities_organization_idx ON oidc_identities (organization_id, issuer_key, subject)',
    );
    await queryRunner.query('CREATE INDEX oidc_identities_user_idx ON oidc_identities (user_id)');
    await queryRunner.query(`
      CREATE TABLE oidc_attempts (
        hash text CONSTRAINT oidc_attempts_pk PRIMARY KEY,
        browser_hash text NOT NULL,
        issuer_key text NOT NULL,
        return_to text NOT NULL,
        trial boolean NOT NULL DEFAULT false,
        expires_at timestamptz NOT NULL
      )`);
    await queryRunner.query('CREATE INDEX oidc_attempts_expires_idx ON oidc_attempts (expires_at)');
    await queryRunner.query(`
      ALTER TABLE sessions
        ADD COLUMN issuer_key text,
        ADD COLUMN issuer text,
        ADD COLUMN subject text,
        ADD COLUMN provider_session text,
        ADD COLUMN id_token text`);
    await queryRunner.query('CREATE INDEX sessions_subject_idx ON sessions (issuer, subject) WHERE issuer IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX sessions_subject_idx');
    await queryRunner.query(`
      ALTER TABLE sessions
        DROP COLUMN issuer_key, DROP COLUMN issuer, DROP COLUMN subject, DROP COLUMN provider_session, DROP COLUMN id_token`);
    await queryRunner.query('DROP TABLE oidc_attempts, oidc_identities, oidc_issuers');
  }
}
