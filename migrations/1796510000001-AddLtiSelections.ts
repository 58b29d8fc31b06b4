import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deep-linking requests of platforms, until their authors have chosen. */
export class AddLtiSelections1796510000001 implements MigrationInterface {
  readonly name = 'AddLtiSelections1796510000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_selections (
        id uuid CONSTRAINT lti_selections_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        user_id uuid NOT NULL,
        platform_id uuid NOT NULL CONSTRAINT lti_selections_platform_fk REFERENCES lti_platforms (id) ON DELETE CASCADE,
        deployment_id text NOT NULL,
        course_title text NOT NULL,
        wanted jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        CONSTRAINT lti_selections_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX lti_selections_user_idx ON lti_selections (organization_id, user_id)');
    await queryRunner.query('CREATE INDEX lti_selections_expires_idx ON lti_selections (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE lti_selections');
  }
}
