import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { JobQueue } from '../../../infrastructure/jobs';
import { BufferedCounters } from '../../../infrastructure/telemetry';
import type { PlanResult, ToolPlan } from '../planning.types';
import { type OutcomeRow, type OutcomeSums, addSums, influences, noSums, outcomeOf, rowId } from './outcome-sums';
import { PlanOutcomesRepository } from './plan-outcomes.repository';

const MOST_COMBINATIONS = 200;
/** Days that figures and later plans look back on. */
const WINDOW_DAYS = 60;

interface PlanFigures {
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

const KEPT_DAYS = 180;
const DAY_MS = 24 * 60 * 60_000;
const MAX_ASSISTANTS = 2_000;

interface Group {
  readonly organizationId: string;
  readonly assistantId: number;
}

type Rows = Map<string, OutcomeRow>;

/** Counts how plans went, per assistant. */
@Injectable()
export class PlanOutcomes implements BeforeApplicationShutdown {
  private readonly counters: BufferedCounters<Group, OutcomeRow, Rows>;

  constructor(
    private readonly repository: PlanOutcomesRepository,
    jobs: JobQueue,
  ) {
    this.counters = new BufferedCounters({
      name: 'PlanOutcomes',
      maxGroups: MAX_ASSISTANTS,
      keyOf: ({ organizationId, assistantId }) => `${organizationId} ${assistantId}`,
      add: (id, rows) => repository.add(id, rows),
      read: ({ organizationId, assistantId }) => repository.read(organizationId, assistantId, WINDOW_DAYS),
      viewOf: (rows) => {
        const view: Rows = new Map();
        for (const row of rows) addRow(view, row);
        return view;
      },
    });
    jobs.sweep(DAY_MS, () => repository.forget(KEPT_DAYS));
  }

  record(plan: ToolPlan, result: PlanResult): void {
    const { key, sums } = outcomeOf(plan, result, Date.now());
    addSums(this.counters.row(key, rowId(key), () => ({ key, sums: noSums() })).sums, sums);
    const view = this.counters.current(key);
    if (view !== null) addRow(view, { key, sums });
  }

  /**
   * Influences by placeholder; empty until the assistant's outcomes have been read, which the first call begins. Never
   * waits.
   */
  influences(organizationId: string, assistantId: number, queryClass: string): ReadonlyMap<string, number> {
    const rows = this.counters.view({ organizationId, assistantId });
    return influences([...(rows?.values() ?? [])], queryClass, Date.now());
  }

  /** Every outcome of the last days, those of other processes included. */
  async of(organizationId: string, assistantId: number): Promise<readonly OutcomeRow[]> {
    await this.counters.flush();
    return this.repository.read(organizationId, assistantId, WINDOW_DAYS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.counters.close();
  }
}

function addRow(rows: Rows, { key, sums }: OutcomeRow): void {
  const id = rowId(key);
  const known = rows.get(id) ?? { key, sums: noSums() };
  addSums(known.sums, sums);
  rows.set(id, known);
}
