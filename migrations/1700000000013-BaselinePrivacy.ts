import { Baseline } from './baseline';

/** Requests to erase a person's data. Without personal data once they are done. */
export class BaselinePrivacy1700000000013 extends Baseline {
  readonly name = 'BaselinePrivacy1700000000013';
  protected readonly schema = `
    CREATE TABLE erasure_requests (
      id uuid CONSTRAINT erasure_requests_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT erasure_requests_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      subject_id uuid,
      heir_id uuid,
      requested_by uuid,
      unshared text NOT NULL,
      state text NOT NULL DEFAULT 'queued',
      counts jsonb NOT NULL DEFAULT '{}',
      handed_over jsonb NOT NULL DEFAULT '{}',
      report jsonb,
      failure text,
      deactivated_at timestamptz,
      lease_token uuid,
      lease_until timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz,
      CONSTRAINT erasure_requests_state_ck CHECK (state IN ('queued', 'running', 'done')),
      CONSTRAINT erasure_requests_unshared_ck CHECK (unshared IN ('delete', 'hand_over'))
    );
    CREATE UNIQUE INDEX erasure_requests_open_key ON erasure_requests (organization_id, subject_id)
      WHERE finished_at IS NULL;
    CREATE INDEX erasure_requests_organization_idx ON erasure_requests (organization_id, id)`;
}
