import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Repetitions of many runs at once, for comparisons. */
export class AddReplays1796730100000 implements MigrationInterface {
  readonly name = 'AddReplays1796730100000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE replays (
        id uuid CONSTRAINT replays_pk PRIMARY KEY,
        organization_id uuid NOT NULL CONSTRAINT replays_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        caller jsonb NOT NULL,
        wish jsonb NOT NULL,
        items jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        cancelled_at timestamptz,
        finished_at timestamptz
      )`);
    await queryRunner.query('CREATE INDEX replays_user_idx ON replays (organization_id, user_id, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE replays');
  }
}
