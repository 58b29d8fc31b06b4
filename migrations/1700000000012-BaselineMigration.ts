import { Baseline } from './baseline';

/** Batches of rewritten metadata: how far each is, who works on it, and the outcome for each assistant. */
export class BaselineMigration1700000000012 extends Baseline {
  readonly name = 'BaselineMigration1700000000012';
  protected readonly schema = `
    CREATE TABLE migration_batches (
      id uuid CONSTRAINT migration_batches_pk PRIMARY KEY,
      organization_id uuid
        CONSTRAINT migration_batches_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      target_version integer NOT NULL,
      state text NOT NULL,
      task text,
      background boolean NOT NULL,
      forced boolean NOT NULL DEFAULT false,
      batch_size integer NOT NULL,
      actor json,
      lease_token uuid,
      lease_holder json,
      lease_until timestamptz,
      total integer NOT NULL,
      examined integer NOT NULL DEFAULT 0,
      migrated integer NOT NULL DEFAULT 0,
      skipped integer NOT NULL DEFAULT 0,
      failed integer NOT NULL DEFAULT 0,
      rolled_back integer NOT NULL DEFAULT 0,
      apply_cursor integer NOT NULL DEFAULT 0,
      rollback_cursor integer NOT NULL DEFAULT 0,
      result json,
      created_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz,
      CONSTRAINT migration_batches_state_ck
        CHECK (state IN ('queued', 'running', 'interrupted', 'done', 'rolling_back', 'rolled_back')),
      CONSTRAINT migration_batches_task_ck CHECK (task IN ('apply', 'rollback', 'verify'))
    );
    CREATE INDEX migration_batches_open_idx ON migration_batches (id) WHERE task IS NOT NULL;
    CREATE INDEX migration_batches_organization_idx ON migration_batches (organization_id, id);

    CREATE TABLE migration_items (
      batch_id uuid NOT NULL
        CONSTRAINT migration_items_batch_fk REFERENCES migration_batches (id) ON DELETE CASCADE,
      assistant_id integer NOT NULL
        CONSTRAINT migration_items_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL
        CONSTRAINT migration_items_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      status text NOT NULL,
      from_version integer,
      old_version integer,
      new_version integer,
      old_hash text,
      new_hash text,
      problems json NOT NULL DEFAULT '[]',
      differences json NOT NULL DEFAULT '[]',
      audit_id uuid,
      at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT migration_items_pk PRIMARY KEY (batch_id, assistant_id),
      CONSTRAINT migration_items_status_ck CHECK (status IN ('migrated', 'skipped', 'failed', 'rolled_back'))
    );
    -- Deleting an assistant looks for the rows that refer to it.
    CREATE INDEX migration_items_assistant_idx ON migration_items (assistant_id);
    CREATE INDEX migration_items_organization_idx ON migration_items (organization_id);
    CREATE INDEX migration_items_status_idx ON migration_items (batch_id, status, assistant_id)`;
}
