import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Activities of courses that come from another installation. */
export class ImportLtiActivities1796522000000 implements MigrationInterface {
  readonly name = 'ImportLtiActivities1796522000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_legacy_activities (
        id uuid CONSTRAINT lti_legacy_activities_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        resource_link_id text NOT NULL,
        context_id text,
        title text NOT NULL,
        assistant_ids integer[] NOT NULL,
        teachers_read boolean NOT NULL,
        CONSTRAINT lti_legacy_activities_link_uq UNIQUE (organization_id, resource_link_id)
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE lti_legacy_activities');
  }
}
