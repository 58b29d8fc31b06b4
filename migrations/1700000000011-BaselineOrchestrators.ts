import { Baseline } from './baseline';

/** Outcomes of plans, per class of question, combination of tools, planner, arm of an experiment and day. */
export class BaselineOrchestrators1700000000011 extends Baseline {
  readonly name = 'BaselineOrchestrators1700000000011';
  protected readonly schema = `
    CREATE TABLE plan_outcomes (
      organization_id uuid NOT NULL
        CONSTRAINT plan_outcomes_organization_fk REFERENCES organizations (id) ON DELETE CASCADE,
      assistant_id integer NOT NULL
        CONSTRAINT plan_outcomes_assistant_fk REFERENCES assistants (id) ON DELETE CASCADE,
      query_class text NOT NULL,
      tools text NOT NULL,
      planner text NOT NULL,
      arm text NOT NULL,
      day date NOT NULL,
      plans integer NOT NULL,
      steps integer NOT NULL,
      failed_steps integer NOT NULL,
      duration_sum double precision NOT NULL,
      planning_sum double precision NOT NULL,
      tokens double precision NOT NULL,
      confidence_sum double precision NOT NULL,
      confidences integer NOT NULL,
      CONSTRAINT plan_outcomes_pk PRIMARY KEY (organization_id, assistant_id, query_class, tools, planner, arm, day)
    );
    -- Deleting an assistant looks for the rows that refer to it.
    CREATE INDEX plan_outcomes_assistant_idx ON plan_outcomes (assistant_id)`;
}
