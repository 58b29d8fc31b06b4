import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Grades that teachers handed to learning platforms, refused ones included. */
export class AddLtiGrades1796510000000 implements MigrationInterface {
  readonly name = 'AddLtiGrades1796510000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE lti_grades (
        id uuid CONSTRAINT lti_grades_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        activity_id uuid NOT NULL CONSTRAINT lti_grades_activity_fk REFERENCES lti_activities (id) ON DELETE CASCADE,
        subject text NOT NULL,
        user_id uuid,
        score double precision NOT NULL,
        maximum double precision NOT NULL,
        comment text NOT NULL DEFAULT '',
        state text NOT NULL,
        refusal text,
        graded_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        sent_at timestamptz,
        CONSTRAINT lti_grades_state_ck CHECK (state IN ('waiting', 'sent', 'refused'))
      )`);
    await queryRunner.query('CREATE INDEX lti_grades_activity_idx ON lti_grades (activity_id, id)');
    await queryRunner.query('CREATE INDEX lti_grades_user_idx ON lti_grades (organization_id, user_id)');
    await queryRunner.query('CREATE INDEX lti_grades_graded_by_idx ON lti_grades (organization_id, graded_by)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE lti_grades');
  }
}
