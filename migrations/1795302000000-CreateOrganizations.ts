import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateOrganizations1795302000000 implements MigrationInterface {
  readonly name = 'CreateOrganizations1795302000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE organizations (
        id uuid CONSTRAINT organizations_pk PRIMARY KEY,
        slug text NOT NULL CONSTRAINT organizations_slug_key UNIQUE,
        name text NOT NULL,
        is_system boolean NOT NULL DEFAULT false,
        settings jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      )`);
    // At most one system organization, whatever races at the first start.
    await queryRunner.query(
      `CREATE UNIQUE INDEX organizations_system_key ON organizations (is_system) WHERE is_system`,
    );
    await queryRunner.query(`
      CREATE TABLE users (
        id uuid CONSTRAINT users_pk PRIMARY KEY,
        email text NOT NULL CONSTRAINT users_email_key UNIQUE,
        system_admin boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(`
      CREATE TABLE members (
        organization_id uuid NOT NULL CONSTRAINT members_organization_fk REFERENCES organizations(id) ON DELETE CASCADE,
        user_id uuid NOT NULL CONSTRAINT members_user_fk REFERENCES users(id) ON DELETE CASCADE,
        name text NOT NULL,
        role text NOT NULL,
        disabled boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT members_pk PRIMARY KEY (organization_id, user_id)
      )`);
    await queryRunner.query(`CREATE INDEX members_user_idx ON members (user_id)`);
    await queryRunner.query(`
      CREATE TABLE data_keys (
        organization_id uuid CONSTRAINT data_keys_pk PRIMARY KEY
          CONSTRAINT data_keys_organization_fk REFERENCES organizations(id) ON DELETE CASCADE,
        kid text NOT NULL,
        kek text NOT NULL,
        wrapped text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        wrapped_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(`CREATE INDEX data_keys_kek_idx ON data_keys (kek)`);
    await queryRunner.query(`
      CREATE TABLE api_keys (
        id uuid CONSTRAINT api_keys_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        name text NOT NULL,
        public_id text CONSTRAINT api_keys_public_id_key UNIQUE,
        hash text NOT NULL CONSTRAINT api_keys_hash_key UNIQUE,
        scopes text[] NOT NULL,
        assistant_ids integer[],
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT api_keys_member_fk FOREIGN KEY (organization_id, user_id)
          REFERENCES members(organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query(`CREATE INDEX api_keys_member_idx ON api_keys (organization_id, user_id)`);
    await queryRunner.query(`
      CREATE TABLE audit_entries (
        id uuid CONSTRAINT audit_entries_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT audit_entries_organization_fk REFERENCES organizations(id) ON DELETE CASCADE,
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
        at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query(`CREATE INDEX audit_entries_organization_idx ON audit_entries (organization_id, id)`);
    await queryRunner.query(`
      CREATE TABLE idempotency_records (
        id uuid CONSTRAINT idempotency_records_pk PRIMARY KEY,
        organization_id uuid NOT NULL
          CONSTRAINT idempotency_records_organization_fk REFERENCES organizations(id) ON DELETE CASCADE,
        caller_id text NOT NULL,
        route text NOT NULL,
        key text NOT NULL,
        body_hash text NOT NULL,
        state text NOT NULL,
        response text,
        lease_until timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT idempotency_records_key UNIQUE (organization_id, caller_id, route, key)
      )`);
    await queryRunner.query(`CREATE INDEX idempotency_records_expiry_idx ON idempotency_records (expires_at)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE idempotency_records, audit_entries, api_keys, data_keys, members, users, organizations',
    );
  }
}
