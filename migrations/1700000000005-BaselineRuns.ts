import { Baseline } from './baseline';

/** One row per completion, with its events. Without foreign keys to assistants and users: a record outlives them. */
export class BaselineRuns1700000000005 extends Baseline {
  readonly name = 'BaselineRuns1700000000005';
  protected readonly schema = `
    CREATE TABLE runs (
      id uuid CONSTRAINT runs_pk PRIMARY KEY,
      organization_id uuid NOT NULL CONSTRAINT runs_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
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
      events json NOT NULL,
      report jsonb,
      parent_run_id uuid,
      caller_organization_id uuid,
      background boolean NOT NULL DEFAULT false,
      worker_id uuid,
      heartbeat_at timestamptz,
      cancel_requested_at timestamptz,
      cancel_reason text,
      plan jsonb,
      pruned_at timestamptz,
      passages jsonb NOT NULL DEFAULT '[]',
      rating text,
      rating_reason text,
      question text,
      assistant_version integer,
      problems integer NOT NULL DEFAULT 0,
      cost_micros bigint,
      draft boolean NOT NULL DEFAULT false,
      request_id text,
      recording text,
      receipt text,
      replay jsonb,
      CONSTRAINT runs_rating_ck CHECK (rating IN ('up', 'down'))
    );
    CREATE INDEX runs_asked_elsewhere_idx ON runs (caller_organization_id, user_id, id)
      WHERE caller_organization_id IS NOT NULL AND parent_run_id IS NULL;
    CREATE INDEX runs_assistant_idx ON runs (organization_id, assistant_id, id);
    CREATE INDEX runs_cancel_idx ON runs (worker_id) WHERE status = 'running' AND cancel_requested_at IS NOT NULL;
    CREATE INDEX runs_contents_idx ON runs (created_at) WHERE pruned_at IS NULL;
    CREATE INDEX runs_going_idx ON runs (created_at) WHERE status IN ('queued', 'running');
    CREATE INDEX runs_organization_idx ON runs (organization_id, id);
    CREATE INDEX runs_parent_idx ON runs (parent_run_id) WHERE parent_run_id IS NOT NULL;
    CREATE INDEX runs_problems_idx ON runs (organization_id, id) WHERE problems > 0;
    CREATE INDEX runs_rating_idx ON runs (organization_id, rating, id) WHERE rating IS NOT NULL;
    CREATE INDEX runs_status_idx ON runs (organization_id, status, id) WHERE status <> 'completed';
    CREATE INDEX runs_user_idx ON runs (organization_id, user_id, id);

    CREATE TABLE run_requests (
      run_id uuid CONSTRAINT run_requests_pk PRIMARY KEY
        CONSTRAINT run_requests_run_fk REFERENCES runs (id) ON DELETE CASCADE,
      turn integer NOT NULL,
      input json NOT NULL,
      request json NOT NULL,
      retries integer NOT NULL DEFAULT 0,
      vendor_asked boolean NOT NULL DEFAULT false
    );

    -- json keeps the text of an event as it was told; jsonb would sort its members.
    CREATE TABLE run_events (
      run_id uuid NOT NULL CONSTRAINT run_events_run_fk REFERENCES runs (id) ON DELETE CASCADE,
      seq integer NOT NULL,
      type text NOT NULL,
      data text NOT NULL,
      at timestamptz NOT NULL,
      CONSTRAINT run_events_pk PRIMARY KEY (run_id, seq)
    );
    CREATE UNIQUE INDEX run_events_end_idx ON run_events (run_id)
      WHERE type IN ('run.completed', 'run.failed', 'run.cancelled');

    CREATE TABLE receipt_keys (
      kid text CONSTRAINT receipt_keys_pk PRIMARY KEY,
      public_key text NOT NULL,
      private_key text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`;
}
