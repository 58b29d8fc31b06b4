import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import './plan-outcome.entity';
import type { OutcomeRow } from './plan-outcomes.types';

/** Assistants that are gone by now are left out; the order of rows keeps two replicas from waiting for each other. */
const ADD = `
  INSERT INTO plan_outcomes AS kept (organization_id, assistant_id, query_class, tools, planner, arm, day, plans, steps,
    failed_steps, duration_sum, planning_sum, tokens, confidence_sum, confidences)
  SELECT row.organization_id, row.assistant_id, row.query_class, row.tools, row.planner, row.arm, row.day, row.plans,
    row.steps, row.failed_steps, row.duration_sum, row.planning_sum, row.tokens, row.confidence_sum, row.confidences
  FROM jsonb_to_recordset($1::jsonb) AS row (organization_id uuid, assistant_id int, query_class text, tools text,
    planner text, arm text, day date, plans int, steps int, failed_steps int, duration_sum float8, planning_sum float8,
    tokens float8, confidence_sum float8, confidences int)
  JOIN assistants ON assistants.id = row.assistant_id AND assistants.organization_id = row.organization_id
  ORDER BY row.organization_id, row.assistant_id, row.query_class, row.tools, row.planner, row.arm, row.day
  ON CONFLICT ON CONSTRAINT plan_outcomes_pk DO UPDATE SET
    plans = kept.plans + EXCLUDED.plans,
    steps = kept.steps + EXCLUDED.steps,
    failed_steps = kept.failed_steps + EXCLUDED.failed_steps,
    duration_sum = kept.duration_sum + EXCLUDED.duration_sum,
    planning_sum = kept.planning_sum + EXCLUDED.planning_sum,
    tokens = kept.tokens + EXCLUDED.tokens,
    confidence_sum = kept.confidence_sum + EXCLUDED.confidence_sum,
    confidences = kept.confidences + EXCLUDED.confidences`;

const READ = `
  SELECT query_class, tools, planner, arm, to_char(day, 'YYYY-MM-DD') AS day, plans, steps, failed_steps, duration_sum,
    planning_sum, tokens, confidence_sum, confidences
  FROM plan_outcomes
  WHERE organization_id = $1 AND assistant_id = $2 AND day > current_date - $3::int
  ORDER BY day DESC LIMIT $4`;

const FORGET = `DELETE FROM plan_outcomes WHERE day < current_date - $1::int`;

const MOST_ROWS = 5_000;

interface Row {
  readonly query_class: string;
  readonly tools: string;
  readonly planner: string;
  readonly arm: string;
  readonly day: string;
  readonly plans: number;
  readonly steps: number;
  readonly failed_steps: number;
  readonly duration_sum: number;
  readonly planning_sum: number;
  readonly tokens: number;
  readonly confidence_sum: number;
  readonly confidences: number;
}

@Injectable()
export class PlanOutcomesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds to what is there, so that several processes may count. */
  async add(rows: readonly OutcomeRow[]): Promise<void> {
    if (rows.length > 0) await this.dataSource.query(ADD, [JSON.stringify(rows.map(toRow))]);
  }

  /** Of the last `days` days, the newest first. */
  async read(organizationId: string, assistantId: number, days: number): Promise<OutcomeRow[]> {
    const rows = await this.dataSource.query<Row[]>(READ, [organizationId, assistantId, days, MOST_ROWS]);
    return rows.map((row) => fromRow(organizationId, assistantId, row));
  }

  async forget(days: number): Promise<void> {
    await this.dataSource.query(FORGET, [days]);
  }
}

const toRow = ({ key, sums }: OutcomeRow) => ({
  organization_id: key.organizationId,
  assistant_id: key.assistantId,
  query_class: key.queryClass,
  tools: key.tools,
  planner: key.planner,
  arm: key.arm,
  day: key.day,
  plans: sums.plans,
  steps: sums.steps,
  failed_steps: sums.failedSteps,
  duration_sum: sums.durationSum,
  planning_sum: sums.planningSum,
  tokens: sums.tokens,
  confidence_sum: sums.confidenceSum,
  confidences: sums.confidences,
});

const fromRow = (organizationId: string, assistantId: number, row: Row): OutcomeRow => ({
  key: {
    organizationId,
    assistantId,
    queryClass: row.query_class,
    tools: row.tools,
    planner: row.planner,
    arm: row.arm,
    day: row.day,
  },
  sums: {
    plans: row.plans,
    steps: row.steps,
    failedSteps: row.failed_steps,
    durationSum: row.duration_sum,
    planningSum: row.planning_sum,
    tokens: row.tokens,
    confidenceSum: row.confidence_sum,
    confidences: row.confidences,
  },
});
