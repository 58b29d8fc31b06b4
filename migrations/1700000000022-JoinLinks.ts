import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links and codes by which people become members. */
export class JoinLinks1700000000022 implements MigrationInterface {
  readonly name = 'JoinLinks1700000000022';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE join_links (
        id uuid CONSTRAINT join_links_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT join_links_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        created_by uuid NOT NULL,
        name text NOT NULL,
        code text NOT NULL CONSTRAINT join_links_code_key UNIQUE,
        assistant_id integer CONSTRAINT join_links_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
        group_id uuid CONSTRAINT join_links_group_fk REFERENCES groups (id) ON DELETE SET NULL,
        uses integer NOT NULL,
        used integer NOT NULL DEFAULT 0,
        expires_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await queryRunner.query('CREATE INDEX join_links_organization_idx ON join_links (organization_id, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE join_links');
  }
}
