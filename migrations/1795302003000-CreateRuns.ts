import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One row per completion. No foreign key to assistants or users: a record outlives what it speaks of. */
export class CreateRuns1795302003000 implements MigrationInterface {
  readonly name = 'CreateRuns1795302003000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE runs (
        id uuid CONSTRAINT runs_pk PRIMARY KEY,
        organization_id uuid NOT NULL
          CONSTRAINT runs_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
        user_id uuid NOT NULL,
        credential_id uuid,
        assistant_id integer NOT NULL,
        assistant_name text NOT NULL,
        assistant_type text NOT NULL,
        strategy text,
        connector text,
        model text,
        stream boolean NOT NULL,
        status text NOT NULL,
        finish_reason text,
        error_code text,
        created_at timestamptz NOT NULL,
        finished_at timestamptz,
        duration_ms double precision,
        prepared_ms double precision,
        first_token_ms double precision,
        prompt_tokens integer,
        completion_tokens integer,
        total_tokens integer,
        tools jsonb NOT NULL,
        sources jsonb NOT NULL,
        events jsonb NOT NULL,
        report jsonb
      )`);
    await queryRunner.query('CREATE INDEX runs_organization_idx ON runs (organization_id, id)');
    await queryRunner.query('CREATE INDEX runs_assistant_idx ON runs (organization_id, assistant_id, id)');
    await queryRunner.query('CREATE INDEX runs_user_idx ON runs (organization_id, user_id, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE runs');
  }
}
