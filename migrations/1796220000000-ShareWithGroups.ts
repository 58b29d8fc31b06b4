import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Assistants and knowledge bases are shared with groups, beside people. */
export class ShareWithGroups1796220000000 implements MigrationInterface {
  readonly name = 'ShareWithGroups1796220000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE assistant_group_shares (
        assistant_id integer NOT NULL
          CONSTRAINT assistant_group_shares_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
        group_id uuid NOT NULL CONSTRAINT assistant_group_shares_group_fk REFERENCES groups (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL,
        access text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT assistant_group_shares_pk PRIMARY KEY (assistant_id, group_id),
        CONSTRAINT assistant_group_shares_access_ck CHECK (access IN ('edit', 'use'))
      )`);
    await queryRunner.query('CREATE INDEX assistant_group_shares_group_idx ON assistant_group_shares (group_id)');
    await queryRunner.query(`
      CREATE TABLE knowledge_base_group_shares (
        knowledge_base_id uuid NOT NULL
          CONSTRAINT knowledge_base_group_shares_knowledge_base_fk REFERENCES knowledge_bases (id) ON DELETE CASCADE,
        group_id uuid NOT NULL CONSTRAINT knowledge_base_group_shares_group_fk REFERENCES groups (id) ON DELETE CASCADE,
        organization_id uuid NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT knowledge_base_group_shares_pk PRIMARY KEY (knowledge_base_id, group_id)
      )`);
    await queryRunner.query(
      'CREATE INDEX knowledge_base_group_shares_group_idx ON knowledge_base_group_shares (group_id)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE knowledge_base_group_shares, assistant_group_shares');
  }
}
