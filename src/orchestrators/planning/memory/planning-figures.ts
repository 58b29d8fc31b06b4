import { addSums, noSums } from './outcome-sums';
import type { OutcomeRow, OutcomeSums } from './plan-outcomes.types';

const MOST_COMBINATIONS = 200;
/** Days that figures and later plans look back on. */
export const WINDOW_DAYS = 60;

export interface PlanFigures {
  readonly plans: number;
  readonly steps: number;
  readonly failed_steps: number;
  readonly avg_ms: number | null;
  readonly avg_planning_ms: number | null;
  readonly confidence: number | null;
  readonly avg_tokens: number | null;
}

export interface PlanningFigures {
  readonly days: number;
  readonly combinations: (PlanFigures & { readonly query_class: string; readonly tools: string[] })[];
  readonly experiment: (PlanFigures & { readonly arm: 'a' | 'b'; readonly planner: string })[];
}

/** Outcomes of an assistant, for reading. */
export function planningFigures(rows: readonly OutcomeRow[]): PlanningFigures {
  const combinations = summed(rows, ({ key: { queryClass, tools } }) => JSON.stringify([queryClass, tools]));
  const compared = rows.filter(({ key }) => key.arm !== '');
  const arms = summed(compared, ({ key: { arm, planner } }) => JSON.stringify([arm, planner]));
  return {
    days: WINDOW_DAYS,
    combinations: combinations
      .sort((one, other) => other.sums.plans - one.sums.plans)
      .slice(0, MOST_COMBINATIONS)
      .map(({ key, sums }) => ({
        query_class: key.queryClass,
        tools: key.tools === '' ? [] : key.tools.split('+'),
        ...figuresOf(sums),
      })),
    experiment: arms
      .map(({ key, sums }) => ({
        arm: key.arm === 'b' ? ('b' as const) : ('a' as const),
        planner: key.planner,
        ...figuresOf(sums),
      }))
      .sort((one, other) => one.arm.localeCompare(other.arm) || other.plans - one.plans),
  };
}

function summed(rows: readonly OutcomeRow[], by: (row: OutcomeRow) => string): OutcomeRow[] {
  const groups = new Map<string, OutcomeRow>();
  for (const row of rows) {
    const group = groups.get(by(row)) ?? { key: row.key, sums: noSums() };
    addSums(group.sums, row.sums);
    groups.set(by(row), group);
  }
  return [...groups.values()];
}

function figuresOf(sums: OutcomeSums): PlanFigures {
  const per = (total: number, count: number): number | null => (count === 0 ? null : total / count);
  return {
    plans: sums.plans,
    steps: sums.steps,
    failed_steps: sums.failedSteps,
    avg_ms: per(sums.durationSum, sums.plans),
    avg_planning_ms: per(sums.planningSum, sums.plans),
    confidence: per(sums.confidenceSum, sums.confidences),
    avg_tokens: per(sums.tokens, sums.plans),
  };
}
