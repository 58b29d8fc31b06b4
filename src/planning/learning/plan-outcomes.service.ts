import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { JobQueue } from '../../platform/jobs';
import type { PlanResult, ToolPlan } from '../planning.types';
import { addSums, influences, noSums, outcomeOf, rowId } from './outcome-sums';
import { PlanOutcomesRepository } from './plan-outcomes.repository';
import { WINDOW_DAYS } from './planning-figures';
import type { OutcomeRow } from './plan-outcomes.types';

const KEPT_DAYS = 180;
const FLUSH_MS = 5_000;
const REFRESH_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MAX_ASSISTANTS = 2_000;

interface Held {
  rows: Map<string, OutcomeRow>;
  readAt: number | null;
  reading: Promise<void> | null;
}

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * How plans went, per assistant: in memory at once, in the table a few seconds later, added to what other processes counted.
 * What a process that is killed has not written yet is lost.
 */
@Injectable()
export class PlanOutcomes implements BeforeApplicationShutdown {
  private readonly logger = new Logger('PlanOutcomes');
  private readonly held = new LRUCache<string, Held>({ max: MAX_ASSISTANTS });
  private pending = new Map<string, OutcomeRow>();
  /** Reads and writes take turns: what is pending is never in the table, too. */
  private turn: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly repository: PlanOutcomesRepository,
    jobs: JobQueue,
  ) {
    jobs.sweep(DAY_MS, () => this.repository.forget(KEPT_DAYS));
  }

  record(plan: ToolPlan, result: PlanResult): void {
    const row = outcomeOf(plan, result, Date.now());
    addRow(this.pending, `${result.organizationId} ${result.assistantId} ${rowId(row.key)}`, row);
    const held = this.held.get(keyOf(result.organizationId, result.assistantId));
    // Before the first read, what is pending is added when it ends.
    if (held !== undefined && held.readAt !== null) addRow(held.rows, rowId(row.key), row);
    this.flushSoon();
  }

  /** By placeholder; empty until the assistant's outcomes have been read, which the first call begins. Never waits. */
  influences(organizationId: string, assistantId: number, queryClass: string): ReadonlyMap<string, number> {
    const { rows } = this.holding(organizationId, assistantId);
    return rows.size === 0 ? NONE : influences([...rows.values()], queryClass, Date.now());
  }

  /** Every outcome of the last days, those of other processes included. */
  async of(organizationId: string, assistantId: number): Promise<readonly OutcomeRow[]> {
    await this.flush();
    return this.repository.read(organizationId, assistantId, WINDOW_DAYS);
  }

  /** Writes what is pending; never rejects. */
  flush(): Promise<void> {
    return this.inTurn(async () => {
      const moving = this.pending;
      if (moving.size === 0) return;
      this.pending = new Map();
      try {
        await this.repository.add([...moving.values()]);
      } catch (error) {
        for (const [id, row] of moving) addRow(this.pending, id, row);
        this.flushSoon();
        throw error;
      }
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private holding(organizationId: string, assistantId: number): Held {
    const key = keyOf(organizationId, assistantId);
    let held = this.held.get(key);
    if (held === undefined) {
      held = { rows: new Map(), readAt: null, reading: null };
      this.held.set(key, held);
    }
    const old = held.readAt === null || performance.now() - held.readAt > REFRESH_MS;
    if (old && held.reading === null) held.reading = this.read(organizationId, assistantId, held);
    return held;
  }

  private read(organizationId: string, assistantId: number, held: Held): Promise<void> {
    return this.inTurn(async () => {
      const stored = await this.repository.read(organizationId, assistantId, WINDOW_DAYS);
      const mine = [...this.pending.values()].filter(
        ({ key }) => key.organizationId === organizationId && key.assistantId === assistantId,
      );
      const rows = new Map<string, OutcomeRow>();
      for (const row of [...stored, ...mine]) addRow(rows, rowId(row.key), row);
      held.rows = rows;
      held.readAt = performance.now();
    }).finally(() => {
      held.readAt ??= performance.now();
      held.reading = null;
    });
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => {
      this.logger.warn(`outcomes of plans: ${error instanceof Error ? error.name : typeof error}`);
    });
    return this.turn;
  }

  private flushSoon(): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.flush();
    }, FLUSH_MS);
    this.timer.unref();
  }
}

const keyOf = (organizationId: string, assistantId: number): string => `${organizationId} ${assistantId}`;

function addRow(rows: Map<string, OutcomeRow>, id: string, { key, sums }: OutcomeRow): void {
  const known = rows.get(id) ?? { key, sums: noSums() };
  addSums(known.sums, sums);
  rows.set(id, known);
}
