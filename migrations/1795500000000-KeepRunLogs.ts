import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs that outlive the process that began them: their events in order, what was asked, and who works on them. */
export class KeepRunLogs1795500000000 implements MigrationInterface {
  readonly name = 'KeepRunLogs1795500000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // `json` keeps the text of an event as it was told, `jsonb` would sort its members.
    await queryRunner.query(`
      ALTER TABLE runs
        ADD COLUMN background boolean NOT NULL DEFAULT false,
        ADD COLUMN worker_id uuid,
        ADD COLUMN heartbeat_at timestamptz,
        ADD COLUMN cancel_requested_at timestamptz,
        ADD COLUMN cancel_reason text,
        ADD COLUMN plan jsonb,
        ADD COLUMN pruned_at timestamptz,
        ALTER COLUMN events TYPE json USING events::json`);
    await queryRunner.query(`
      CREATE INDEX runs_going_idx ON runs (created_at) WHERE status IN ('queued', 'running')`);
    await queryRunner.query(`
      CREATE INDEX runs_cancel_idx ON runs (worker_id) WHERE status = 'running' AND cancel_requested_at IS NOT NULL`);
    await queryRunner.query(`
      CREATE INDEX runs_contents_idx ON runs (created_at) WHERE pruned_at IS NULL`);
    await queryRunner.query(`
      CREATE TABLE run_requests (
        run_id uuid CONSTRAINT run_requests_pk PRIMARY KEY
          CONSTRAINT run_requests_run_fk REFERENCES runs (id) ON DELETE CASCADE,
        turn integer NOT NULL,
        input json NOT NULL,
        request json NOT NULL
      )`);
    await queryRunner.query(`
      CREATE TABLE run_events (
        run_id uuid NOT NULL CONSTRAINT run_events_run_fk REFERENCES runs (id) ON DELETE CASCADE,
        seq integer NOT NULL,
        type text NOT NULL,
        data text NOT NULL,
        at timestamptz NOT NULL,
        CONSTRAINT run_events_pk PRIMARY KEY (run_id, seq)
      )`);
    await queryRunner.query(`
      CREATE UNIQUE INDEX run_events_end_idx ON run_events (run_id)
      WHERE type IN ('run.completed', 'run.failed', 'run.cancelled')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE run_events');
    await queryRunner.query('DROP TABLE run_requests');
    await queryRunner.query('DROP INDEX runs_contents_idx');
    await queryRunner.query('DROP INDEX runs_cancel_idx');
    await queryRunner.query('DROP INDEX runs_going_idx');
    // What is queued or going on could not be understood by the version before.
    await queryRunner.query(`
      UPDATE runs SET status = 'failed', error_code = 'worker_lost', finished_at = now()
      WHERE status IN ('queued', 'running')`);
    await queryRunner.query(`
      ALTER TABLE runs
        DROP COLUMN background, DROP COLUMN worker_id, DROP COLUMN heartbeat_at, DROP COLUMN cancel_requested_at,
        DROP COLUMN cancel_reason, DROP COLUMN plan, DROP COLUMN pruned_at,
        ALTER COLUMN events TYPE jsonb USING events::jsonb`);
  }
}
