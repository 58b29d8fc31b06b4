import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { BufferedCounters } from '../../../infrastructure/counters';
import { JobQueue } from '../../../infrastructure/jobs';
import type { PlanResult, ToolPlan } from '../plan/planning.types';
import { addSums, influences, noSums, outcomeOf, rowId } from './outcome-sums';
import { PlanOutcomesRepository } from './plan-outcomes.repository';
import { WINDOW_DAYS } from './planning-figures';
import type { OutcomeRow } from './plan-outcomes.types';

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

  /** By placeholder; empty until the assistant's outcomes have been read, which the first call begins. Never waits. */
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
