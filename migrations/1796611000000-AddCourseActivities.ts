import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People of course activities with their agreements, and the activities behind sessions and conversations. */
export class AddCourseActivities1796611000000 implements MigrationInterface {
  readonly name = 'AddCourseActivities1796611000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_activity_people (
        activity_id uuid NOT NULL CONSTRAINT lti_activity_people_activity_fk REFERENCES lti_activities (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        organization_id uuid NOT NULL,
        instructor boolean NOT NULL,
        pseudonym text NOT NULL,
        agreed_at timestamptz,
        agreed_to text,
        last_launch_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT lti_activity_people_pk PRIMARY KEY (activity_id, user_id),
        CONSTRAINT lti_activity_people_agreed_to_ck CHECK (agreed_to IN ('named', 'pseudonymous')),
        CONSTRAINT lti_activity_people_member_fk
          FOREIGN KEY (organization_id, user_id) REFERENCES members (organization_id, user_id) ON DELETE CASCADE
      )`);
    await queryRunner.query(
      'CREATE INDEX lti_activity_people_user_idx ON lti_activity_people (organization_id, user_id)',
    );
    await queryRunner.query('ALTER TABLE lti_handovers ADD COLUMN activity_id uuid');
    await queryRunner.query('ALTER TABLE sessions ADD COLUMN activity_ids uuid[]');
    await queryRunner.query(`
      ALTER TABLE conversations ADD COLUMN activity_id uuid
        CONSTRAINT conversations_activity_fk REFERENCES lti_activities (id) ON DELETE SET NULL`);
    await queryRunner.query(
      'CREATE INDEX conversations_activity_idx ON conversations (activity_id, updated_at) WHERE activity_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE conversations DROP COLUMN activity_id');
    await queryRunner.query('ALTER TABLE sessions DROP COLUMN activity_ids');
    await queryRunner.query('ALTER TABLE lti_handovers DROP COLUMN activity_id');
    await queryRunner.query('DROP TABLE lti_activity_people');
  }
}
