import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups of members, such as the people of a course. */
export class AddGroups1796200000000 implements MigrationInterface {
  readonly name = 'AddGroups1796200000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE groups (
        id uuid CONSTRAINT groups_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT groups_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        name text NOT NULL,
        name_key text NOT NULL,
        description text NOT NULL DEFAULT '',
        external_id text,
        owner_id uuid,
        source text NOT NULL DEFAULT 'manual',
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT groups_name_uq UNIQUE (organization_id, name_key),
        CONSTRAINT groups_external_id_uq UNIQUE (organization_id, external_id),
        CONSTRAINT groups_source_ck CHECK (source IN ('manual', 'scim'))
      )`);
    await queryRunner.query(`
      CREATE TABLE group_members (
        group_id uuid NOT NULL CONSTRAINT group_members_group_fk REFERENCES groups (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        source text NOT NULL,
        organization_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT group_members_pk PRIMARY KEY (group_id, user_id, source),
        CONSTRAINT group_members_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE,
        CONSTRAINT group_members_source_ck CHECK (source IN ('manual', 'sso', 'scim'))
      )`);
    await queryRunner.query('CREATE INDEX group_members_user_idx ON group_members (organization_id, user_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE group_members, groups');
  }
}
