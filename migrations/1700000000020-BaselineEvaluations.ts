import { Baseline } from './baseline';

/** Tests of assistants, their results by version, and the rule before a publication. */
export class BaselineEvaluations1700000000020 extends Baseline {
  readonly name = 'BaselineEvaluations1700000000020';
  protected readonly schema = `
    CREATE TABLE assistant_tests (
      id uuid CONSTRAINT assistant_tests_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT assistant_tests_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      assistant_id integer NOT NULL
        CONSTRAINT assistant_tests_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
      name text NOT NULL,
      turns jsonb NOT NULL,
      version integer NOT NULL DEFAULT 1,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX assistant_tests_assistant_idx ON assistant_tests (organization_id, assistant_id, id);

    CREATE TABLE test_runs (
      id uuid CONSTRAINT test_runs_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT test_runs_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      assistant_id integer NOT NULL CONSTRAINT test_runs_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
      assistant_version integer NOT NULL,
      user_id uuid NOT NULL,
      caller jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      cancelled_at timestamptz,
      finished_at timestamptz
    );
    CREATE INDEX test_runs_assistant_idx ON test_runs (organization_id, assistant_id, id);

    CREATE TABLE test_results (
      id uuid CONSTRAINT test_results_pk PRIMARY KEY,
      organization_id uuid NOT NULL
        CONSTRAINT test_results_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      test_run_id uuid NOT NULL CONSTRAINT test_results_test_run_fk REFERENCES test_runs (id) ON DELETE CASCADE,
      test_id uuid NOT NULL,
      test_version integer NOT NULL,
      name text NOT NULL,
      turns jsonb NOT NULL,
      state text NOT NULL DEFAULT 'waiting',
      run_id uuid,
      asked jsonb NOT NULL DEFAULT '[]',
      refusal jsonb
    );
    CREATE INDEX test_results_test_idx ON test_results (test_id, id);
    CREATE INDEX test_results_test_run_idx ON test_results (test_run_id, id);

    CREATE TABLE publication_gates (
      assistant_id integer CONSTRAINT publication_gates_pk PRIMARY KEY
        CONSTRAINT publication_gates_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
      organization_id uuid NOT NULL
        CONSTRAINT publication_gates_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      required boolean NOT NULL,
      override text NOT NULL
    )`;
}
