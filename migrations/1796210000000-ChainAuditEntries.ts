import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `bellwether.audit_change` is set inside the one transaction that may make the change. */
const GUARD = `
  CREATE FUNCTION guard_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('bellwether.audit_change', true) IS DISTINCT FROM TG_ARGV[0] THEN
      RAISE EXCEPTION 'Audit entries are append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
  END
  $$`;

const CONTENT = `id, organization_id, actor_kind, actor_user_id, actor_credential_id, action, target_type, target_id, before,
  after, request_id, ip, at, written_mac`;
const SEAL = 'sequence, previous_hash, content_hash, hash, key_id';

/** The first start seals the entries that are here: a migration has no key. */
export class ChainAuditEntries1796210000000 implements MigrationInterface {
  readonly name = 'ChainAuditEntries1796210000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE audit_entries
        ADD COLUMN written_mac text,
        ADD COLUMN sequence bigint,
        ADD COLUMN previous_hash text,
        ADD COLUMN content_hash text,
        ADD COLUMN hash text,
        ADD COLUMN key_id text`);
    await queryRunner.query(
      'CREATE UNIQUE INDEX audit_entries_sequence_idx ON audit_entries (organization_id, sequence)',
    );
    await queryRunner.query(
      'CREATE INDEX audit_entries_unsealed_idx ON audit_entries (organization_id, id) WHERE sequence IS NULL',
    );
    await queryRunner.query(
      'CREATE INDEX audit_entries_target_idx ON audit_entries (organization_id, target_type, target_id)',
    );
    await queryRunner.query(`
      CREATE TABLE audit_chains (
        organization_id uuid CONSTRAINT audit_chains_pk PRIMARY KEY
          CONSTRAINT audit_chains_organization_fk REFERENCES organizations(id) ON DELETE CASCADE,
        sequence bigint NOT NULL,
        hash text NOT NULL,
        key_id text NOT NULL,
        legacy_until uuid,
        mac text NOT NULL,
        checked_at timestamptz,
        checked_intact boolean
      )`);
    await queryRunner.query(GUARD);
    await queryRunner.query(`
      CREATE TRIGGER audit_entries_content BEFORE UPDATE OF ${CONTENT} ON audit_entries
        FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('redact')`);
    await queryRunner.query(`
      CREATE TRIGGER audit_entries_seal BEFORE UPDATE OF ${SEAL} ON audit_entries
        FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('seal')`);
    await queryRunner.query(`
      CREATE TRIGGER audit_entries_rows BEFORE DELETE OR TRUNCATE ON audit_entries
        FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('prune')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const trigger of ['content', 'seal', 'rows']) {
      await queryRunner.query(`DROP TRIGGER audit_entries_${trigger} ON audit_entries`);
    }
    await queryRunner.query('DROP FUNCTION guard_audit_entries()');
    await queryRunner.query('DROP TABLE audit_chains');
    await queryRunner.query(
      'DROP INDEX audit_entries_sequence_idx, audit_entries_unsealed_idx, audit_entries_target_idx',
    );
    await queryRunner.query(`
      ALTER TABLE audit_entries DROP COLUMN written_mac, DROP COLUMN sequence, DROP COLUMN previous_hash,
        DROP COLUMN content_hash, DROP COLUMN hash, DROP COLUMN key_id`);
  }
}
