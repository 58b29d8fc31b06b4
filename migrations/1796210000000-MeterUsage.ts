import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Usage by day, counters of limits, and the reservations of running completions. */
export class MeterUsage1796210000000 implements MigrationInterface {
  readonly name = 'MeterUsage1796210000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // `assistant_id` and `user_id` are null for embeddings of documents.
    await queryRunner.query(`
      CREATE TABLE usage_days (
        organization_id uuid NOT NULL,
        day date NOT NULL,
        caller_organization_id uuid,
        assistant_id integer,
        assistant_name text,
        provider text NOT NULL,
        model text NOT NULL,
        user_id uuid,
        credential_id uuid,
        runs integer NOT NULL,
        failed integer NOT NULL,
        model_calls integer NOT NULL,
        estimated_calls integer NOT NULL,
        prompt_tokens bigint NOT NULL,
        completion_tokens bigint NOT NULL,
        cached_tokens bigint NOT NULL,
        cost_micros bigint NOT NULL,
        CONSTRAINT usage_days_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE,
        CONSTRAINT usage_days_uq UNIQUE NULLS NOT DISTINCT
          (organization_id, day, caller_organization_id, assistant_id, provider, model, user_id, credential_id)
      )`);
    await queryRunner.query(`
      CREATE TABLE limit_counters (
        organization_id uuid NOT NULL,
        rule_id text NOT NULL,
        subject text NOT NULL,
        window_start timestamptz NOT NULL,
        window_end timestamptz,
        amount bigint NOT NULL,
        used bigint NOT NULL,
        reserved bigint NOT NULL,
        warned integer NOT NULL,
        warnings jsonb NOT NULL,
        CONSTRAINT limit_counters_pk PRIMARY KEY (organization_id, rule_id, subject, window_start),
        CONSTRAINT limit_counters_organization_fk FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE
      )`);
    await queryRunner.query(`
      CREATE TABLE limit_reservations (
        id uuid CONSTRAINT limit_reservations_pk PRIMARY KEY,
        organization_id uuid NOT NULL,
        worker_id uuid NOT NULL,
        expires_at timestamptz NOT NULL,
        items jsonb NOT NULL,
        run jsonb NOT NULL,
        CONSTRAINT limit_reservations_organization_fk
          FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE
      )`);
    await queryRunner.query('CREATE INDEX limit_reservations_expiry_idx ON limit_reservations (expires_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE limit_reservations');
    await queryRunner.query('DROP TABLE limit_counters');
    await queryRunner.query('DROP TABLE usage_days');
  }
}
