import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Browsers' sessions, and the links that open one. */
export class AddSessions1795700000000 implements MigrationInterface {
  readonly name = 'AddSessions1795700000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE sessions (
        id uuid CONSTRAINT sessions_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        api_key_id uuid CONSTRAINT sessions_api_key_fk REFERENCES api_keys (id) ON DELETE CASCADE,
        hash text NOT NULL CONSTRAINT sessions_hash_key UNIQUE,
        role text NOT NULL,
        scopes text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT sessions_member_fk FOREIGN KEY (organization_id, user_id)
          REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX sessions_member_idx ON sessions (organization_id, user_id)');
    await queryRunner.query('CREATE INDEX sessions_expires_idx ON sessions (expires_at)');
    await queryRunner.query(`
      CREATE TABLE sign_in_links (
        id uuid CONSTRAINT sign_in_links_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        hash text NOT NULL CONSTRAINT sign_in_links_hash_key UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT sign_in_links_member_fk FOREIGN KEY (organization_id, user_id)
          REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sign_in_links, sessions');
  }
}
