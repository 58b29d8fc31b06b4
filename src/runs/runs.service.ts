import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { type Page, type PageRequest, encodeCursor, isUuid } from '../kernel';
import { isDatabaseUnavailable } from '../platform/database';
import { Run } from './run';
import { RunBuffer, type RunSink } from './run-buffer';
import { finishedRecord, runningRecord } from './run-record';
import { RunRepository, cursorId } from './run.repository';
import type { NestedFilter } from './nested-filter.types';
import type { RunFilter, RunInput, RunOutcome, RunRecord, RunStats } from './run.types';
import { storableRecord } from './storable-record';

/** Opens, ends and finds runs. Records are written behind the answers, so nothing here waits for the database but reading. */
@Injectable()
export class RunsService implements RunSink, BeforeApplicationShutdown {
  private readonly logger = new Logger('Runs');
  private readonly active = new Map<string, Run>();
  private readonly buffer = new RunBuffer(this);
  private droppedRecords = 0;

  constructor(private readonly runs: RunRepository) {}

  /** Records lost since the start: the buffer was full, or the database away for too long. */
  get droppedTotal(): number {
    return this.droppedRecords;
  }

  get activeCount(): number {
    return this.active.size;
  }

  open(input: RunInput): Run {
    const run = new Run(input);
    this.active.set(run.id, run);
    run.emit({
      type: 'run.started',
      assistant_id: input.assistant.id,
      assistant_type: input.assistant.type,
      strategy: input.strategy,
    });
    return run;
  }

  /** Publishes the last events and keeps the record. The first call wins: a run ends once. */
  finish(run: Run, outcome: RunOutcome): void {
    if (!this.active.delete(run.id)) return;
    if (outcome.sources && outcome.sources.length > 0) run.emit({ type: 'sources', sources: outcome.sources });
    if (outcome.usage) run.emit({ type: 'usage', ...outcome.usage });
    this.emitTerminal(run, outcome);
    this.buffer.add(finishedRecord(run, outcome));
  }

  /** The run, wherever it is by now: going on in this process, waiting to be written, or in the table. */
  async find(organizationId: string, id: string): Promise<RunRecord | null> {
    const run = this.active.get(id);
    const held = run === undefined ? this.buffer.find(id) : runningRecord(run);
    if (held !== undefined) return held.organizationId === organizationId ? held : null;
    return isUuid(id) ? this.runs.within(organizationId).record(id) : null;
  }

  /** Newest first, runs of this process that go on included. */
  async list(organizationId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    const running = this.going(organizationId, filter);
    await this.buffer.flush();
    const stored = await this.runs.within(organizationId).page(filter, page);
    const known = new Set(stored.records.map(({ id }) => id));
    const going = running.filter(({ id }) => !known.has(id));
    const after = cursorId(page);
    const records = [...going.filter(({ id }) => after === null || id < after), ...stored.records];
    records.sort((a, b) => (a.id < b.id ? 1 : -1));
    const items = records.slice(0, page.limit);
    const last = items.at(-1);
    return {
      items,
      next_cursor: records.length > page.limit && last !== undefined ? encodeCursor([last.id]) : null,
      total: stored.total + going.length,
    };
  }

  /** Runs on behalf of one that `find` gave, oldest first. */
  async nested({ id, organizationId }: Pick<RunRecord, 'id' | 'organizationId'>): Promise<readonly RunRecord[]> {
    const going = [...this.active.values()].filter(({ input }) => input.parentRunId === id).map(runningRecord);
    await this.buffer.flush();
    const stored = await this.runs.within(organizationId).nested(id);
    const known = new Set(stored.map((record) => record.id));
    return [...stored, ...going.filter((record) => !known.has(record.id))];
  }

  /** How many runs on behalf of others an organization's assistants have begun since then; those that go on count. */
  async nestedCalls(organizationId: string, since: Date, of: NestedFilter): Promise<number> {
    const going = [...this.active.values()].filter(({ input }) => isNestedCall(input, organizationId, of)).length;
    await this.buffer.flush();
    return going + (await this.runs.within(organizationId).nestedCalls(since, of));
  }

  async stats(assistantId: number, organizationId: string): Promise<RunStats> {
    await this.buffer.flush();
    return this.runs.within(organizationId).stats(assistantId);
  }

  /** Writes what is waiting. Rejects when the database does not answer. */
  flush(): Promise<void> {
    return this.buffer.flush();
  }

  async write(batch: readonly RunRecord[]): Promise<readonly RunRecord[]> {
    try {
      await this.runs.insertAll(batch);
      return [];
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      return this.writeSingly(batch);
    }
  }

  dropped(count: number, reason: string): void {
    this.droppedRecords += count;
    this.logger.error({ msg: 'run records dropped', count, reason, total: this.droppedRecords });
  }

  async beforeApplicationShutdown(): Promise<void> {
    try {
      await this.buffer.flush();
    } catch {
      this.dropped(this.buffer.size, 'shutdown');
    }
  }

  /** One bad row must not take its neighbours along: each is tried alone, the bad one again without its texts. */
  private async writeSingly(batch: readonly RunRecord[]): Promise<readonly RunRecord[]> {
    const refused: RunRecord[] = [];
    for (const record of batch) {
      const stored = (await this.inserted(record)) || (await this.inserted(storableRecord(record)));
      if (!stored) refused.push(record);
    }
    return refused;
  }

  private async inserted(record: RunRecord): Promise<boolean> {
    try {
      await this.runs.insertAll([record]);
      return true;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
      this.logger.warn({ msg: 'run record refused by the database', run_id: record.id, sqlstate: code });
      return false;
    }
  }

  private going(organizationId: string, filter: RunFilter): RunRecord[] {
    if (filter.status !== undefined && filter.status !== 'running') return [];
    return [...this.active.values()]
      .filter(({ input }) => input.assistant.organizationId === organizationId && matches(input, filter))
      .map(runningRecord);
  }

  private emitTerminal(run: Run, outcome: RunOutcome): void {
    if (outcome.status === 'completed')
      run.emit({ type: 'run.completed', finish_reason: outcome.finishReason ?? 'stop' });
    else if (outcome.status === 'cancelled')
      run.emit({ type: 'run.cancelled', reason: outcome.message ?? 'cancelled' });
    else run.emit({ type: 'run.failed', code: outcome.errorCode ?? 'internal_error', message: outcome.message ?? '' });
  }
}

function isNestedCall({ assistant, caller, parentRunId }: RunInput, organizationId: string, of: NestedFilter): boolean {
  if ((parentRunId ?? null) === null || assistant.organizationId !== organizationId) return false;
  if (of.assistantId !== undefined && of.assistantId !== assistant.id) return false;
  return of.callerOrganizationId === undefined || of.callerOrganizationId === caller.organizationId;
}

function matches({ assistant, caller, parentRunId }: RunInput, filter: RunFilter): boolean {
  if (filter.assistantId !== undefined && filter.assistantId !== assistant.id) return false;
  if (filter.onlyAssistants && !filter.onlyAssistants.includes(assistant.id)) return false;
  const { visibleTo } = filter;
  if (visibleTo === undefined || visibleTo.assistantIds.includes(assistant.id)) return true;
  return visibleTo.userId === caller.userId && (parentRunId ?? null) === null;
}
