import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Credentials of directories, and the people that they provision over SCIM. */
export class AddScim1796320000000 implements MigrationInterface {
  readonly name = 'AddScim1796320000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE scim_tokens (
        id uuid CONSTRAINT scim_tokens_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT scim_tokens_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        name text NOT NULL,
        hash text NOT NULL CONSTRAINT scim_tokens_hash_uq UNIQUE,
        link_existing boolean NOT NULL DEFAULT false,
        created_by uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      )`);
    await queryRunner.query('CREATE INDEX scim_tokens_organization_idx ON scim_tokens (organization_id)');
    await queryRunner.query(`
      CREATE TABLE scim_users (
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        user_name_key text NOT NULL,
        external_id text,
        resource jsonb NOT NULL,
        deleted_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT scim_users_pk PRIMARY KEY (organization_id, user_id),
        CONSTRAINT scim_users_user_name_uq UNIQUE (organization_id, user_name_key),
        CONSTRAINT scim_users_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX scim_users_external_idx ON scim_users (organization_id, external_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE scim_users, scim_tokens');
  }
}
