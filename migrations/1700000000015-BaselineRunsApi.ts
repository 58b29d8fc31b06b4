import { Baseline } from './baseline';

/** Repetitions of many runs at once, for comparisons. */
export class BaselineRunsApi1700000000015 extends Baseline {
  readonly name = 'BaselineRunsApi1700000000015';
  protected readonly schema = `
    CREATE TABLE replays (
      id uuid CONSTRAINT replays_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT replays_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      user_id uuid NOT NULL,
      caller jsonb NOT NULL,
      wish jsonb NOT NULL,
      items jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      cancelled_at timestamptz,
      finished_at timestamptz
    );
    CREATE INDEX replays_user_idx ON replays (organization_id, user_id, id)`;
}
