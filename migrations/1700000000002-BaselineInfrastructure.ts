import PgBoss from 'pg-boss';
import type { QueryRunner } from 'typeorm';
import { Baseline } from './baseline';

/** Tables of `src/infrastructure`: keys of encryption, repeated requests, the audit log and the job queue. */
export class BaselineInfrastructure1700000000002 extends Baseline {
  readonly name = 'BaselineInfrastructure1700000000002';
  protected readonly schema = `
    CREATE TABLE data_keys (
      organization_id uuid CONSTRAINT data_keys_pk PRIMARY KEY
        CONSTRAINT data_keys_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      kid text NOT NULL,
      kek text NOT NULL,
      wrapped text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      wrapped_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX data_keys_kek_idx ON data_keys (kek);

    CREATE TABLE idempotency_records (
      id uuid CONSTRAINT idempotency_records_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT idempotency_records_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      caller_id text NOT NULL,
      route text NOT NULL,
      key text NOT NULL,
      body_hash text NOT NULL,
      state text NOT NULL,
      response text,
      lease_until timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      effects text,
      CONSTRAINT idempotency_records_key UNIQUE (organization_id, caller_id, route, key)
    );
    CREATE INDEX idempotency_records_expiry_idx ON idempotency_records (expires_at);

    -- Ids of writes that add, such as a batch of usage: a repetition whose answer was lost adds nothing.
    CREATE TABLE applied_writes (
      id uuid CONSTRAINT applied_writes_pk PRIMARY KEY,
      applied_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE audit_entries (
      id uuid CONSTRAINT audit_entries_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT audit_entries_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      actor_kind text NOT NULL,
      actor_user_id uuid,
      actor_credential_id text,
      action text NOT NULL,
      target_type text NOT NULL,
      target_id text NOT NULL,
      before jsonb,
      after jsonb,
      request_id text,
      ip text,
      at timestamptz NOT NULL DEFAULT now(),
      written_mac text,
      sequence bigint,
      previous_hash text,
      content_hash text,
      hash text,
      key_id text
    );
    CREATE INDEX audit_entries_organization_idx ON audit_entries (organization_id, id);
    CREATE UNIQUE INDEX audit_entries_sequence_idx ON audit_entries (organization_id, sequence);
    CREATE INDEX audit_entries_target_idx ON audit_entries (organization_id, target_type, target_id);
    CREATE INDEX audit_entries_unsealed_idx ON audit_entries (organization_id, id) WHERE sequence IS NULL;

    CREATE TABLE audit_chains (
      organization_id uuid CONSTRAINT audit_chains_pk PRIMARY KEY
        CONSTRAINT audit_chains_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      sequence bigint NOT NULL,
      hash text NOT NULL,
      key_id text NOT NULL,
      legacy_until uuid,
      mac text NOT NULL,
      checked_at timestamptz,
      checked_intact boolean
    );

    -- bellwether.audit_change is set inside the one transaction that may make the change.
    CREATE FUNCTION guard_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_setting('bellwether.audit_change', true) IS DISTINCT FROM TG_ARGV[0] THEN
          RAISE EXCEPTION 'Audit entries are append-only: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NULL;
      END
      $$;
    CREATE TRIGGER audit_entries_content
      BEFORE UPDATE OF id, organization_id, actor_kind, actor_user_id, actor_credential_id, action, target_type,
        target_id, before, after, request_id, ip, at, written_mac
      ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('redact');
    CREATE TRIGGER audit_entries_seal
      BEFORE UPDATE OF sequence, previous_hash, content_hash, hash, key_id
      ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('seal');
    CREATE TRIGGER audit_entries_rows
      BEFORE DELETE OR TRUNCATE
      ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION guard_audit_entries('prune')`;

  /** The queue brings its tables up to later versions itself. */
  override async up(queryRunner: QueryRunner): Promise<void> {
    await super.up(queryRunner);
    const [{ made }] = (await queryRunner.query(`SELECT to_regclass('pgboss.version') IS NOT NULL AS made`)) as [
      { made: boolean },
    ];
    // The script is a transaction of its own; the migration has one already.
    const script = PgBoss.getConstructionPlans('pgboss')
      .replace(/^\s*BEGIN;/, '')
      .replace(/COMMIT;\s*$/, '');
    if (!made) await queryRunner.query(script);
  }
}
