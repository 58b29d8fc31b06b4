import { Baseline } from './baseline';

/** Usage by day, counters of limits, and the reservations of running completions. */
export class BaselineMetering1700000000004 extends Baseline {
  readonly name = 'BaselineMetering1700000000004';
  protected readonly schema = `
    -- assistant_id and user_id are null for embeddings of documents.
    CREATE TABLE usage_days (
      organization_id uuid NOT NULL
        CONSTRAINT usage_days_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
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
      CONSTRAINT usage_days_uq
        UNIQUE NULLS NOT DISTINCT
          (organization_id, day, caller_organization_id, assistant_id, provider, model, user_id, credential_id)
    );

    CREATE TABLE limit_counters (
      organization_id uuid NOT NULL
        CONSTRAINT limit_counters_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      rule_id text NOT NULL,
      subject text NOT NULL,
      window_start timestamptz NOT NULL,
      window_end timestamptz,
      amount bigint NOT NULL,
      used bigint NOT NULL,
      reserved bigint NOT NULL,
      warned integer NOT NULL,
      warnings jsonb NOT NULL,
      CONSTRAINT limit_counters_pk PRIMARY KEY (organization_id, rule_id, subject, window_start)
    );

    CREATE TABLE limit_reservations (
      id uuid CONSTRAINT limit_reservations_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT limit_reservations_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      worker_id uuid NOT NULL,
      expires_at timestamptz NOT NULL,
      items jsonb NOT NULL,
      run jsonb NOT NULL
    );
    CREATE INDEX limit_reservations_expiry_idx ON limit_reservations (expires_at)`;
}
