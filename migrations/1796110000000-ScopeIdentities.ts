import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A link between a subject and a person counts only where the rules that made it apply. */
export class ScopeIdentities1796110000000 implements MigrationInterface {
  readonly name = 'ScopeIdentities1796110000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE oidc_identities ADD COLUMN authority text');
    await queryRunner.query(`
      UPDATE oidc_identities identity SET authority = COALESCE(
        (SELECT 'all:' || issuer.key FROM oidc_issuers issuer WHERE issuer.key = identity.issuer_key AND issuer.for_all),
        identity.organization_id::text)`);
    await queryRunner.query('ALTER TABLE oidc_identities ALTER COLUMN authority SET NOT NULL');
    await queryRunner.query(`
      ALTER TABLE oidc_identities
        DROP CONSTRAINT oidc_identities_pk,
        ADD CONSTRAINT oidc_identities_pk PRIMARY KEY (issuer, subject, authority)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DELETE FROM oidc_identities newer USING oidc_identities older
       WHERE newer.issuer = older.issuer AND newer.subject = older.subject
         AND (newer.created_at, newer.authority) > (older.created_at, older.authority)`);
    await queryRunner.query('ALTER TABLE oidc_identities DROP CONSTRAINT oidc_identities_pk, DROP COLUMN authority');
    await queryRunner.query(
      'ALTER TABLE oidc_identities ADD CONSTRAINT oidc_identities_pk PRIMARY KEY (issuer, subject)',
    );
  }
}
