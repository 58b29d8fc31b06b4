import { Injectable } from '@nestjs/common';
import { AppError, isUuid, type JsonObject, notFound, type Page, pageOf, type PageRequest } from '../kernel';
import { ActiveRuns } from './active-runs';
import { BackgroundRuns, type RunExecutor } from './background-runs';
import { Run } from './run';
import { RunCanceller } from './run-canceller';
import { RunEndings } from './run-endings';
import { type EventBatches, type FollowOptions, RunReader } from './run-reader';
import { runningRecord } from './run-record';
import { RunRepository, cursorId } from './run.repository';
import type { RunFilter, RunInput, RunOutcome, RunRecord, RunStats } from './run.types';

/**
 * Opens, ends, finds, follows and cancels runs. A run that answers a request never waits for the database: its record is
 * written behind the answer. A background run lies in the database from the beginning, with a log of its events.
 */
@Injectable()
export class RunsService {
  constructor(
    private readonly runs: RunRepository,
    private readonly active: ActiveRuns,
    private readonly endings: RunEndings,
    private readonly background: BackgroundRuns,
    private readonly reader: RunReader,
    private readonly canceller: RunCanceller,
  ) {}

  /** Records lost since the start: the buffer was full, or the database away for too long. */
  get droppedTotal(): number {
    return this.endings.droppedTotal;
  }

  get activeCount(): number {
    return this.active.size;
  }

  /** A run that answers a request. */
  open(input: RunInput): Run {
    const run = new Run(input);
    this.active.add(run);
    run.emit({
      type: 'run.started',
      assistant_id: input.assistant.id,
      assistant_type: input.assistant.type,
      strategy: input.strategy,
    });
    return run;
  }

  /** A run that goes on by itself; some process carries it out with what was given to `executeBy`. */
  enqueue(input: RunInput, request: JsonObject): Promise<RunRecord> {
    return this.background.enqueue(input, request);
  }

  /** Called once at the start. A run that the executor does not end is ended as failed, or as what it was aborted for. */
  executeBy(executor: RunExecutor): void {
    this.background.executeBy(executor);
  }

  /** Tells the last events and keeps the record. The first call wins: a run ends once. */
  finish(run: Run, outcome: RunOutcome): void {
    this.endings.finish(run, outcome);
  }

  /**
   * The run's events after `after`, then those to come; ends after the terminal one. The same bytes in every
   * process. Runs that answer a request are followed live only in the process that does.
   */
  follow(record: RunRecord, options: FollowOptions): EventBatches {
    return this.reader.follow(record, options);
  }

  /** The model's text in a background run, as far as it is in the log; null when there is none. */
  answer(record: RunRecord): Promise<string | null> {
    return this.reader.answer(record);
  }

  /**
   * Ends a run wherever it is; one that is cancelled already stays so. Its end may still be to come when this resolves.
   * @throws AppError `not_found`, `run_ended`.
   */
  async cancel(organizationId: string, id: string, reason: string): Promise<RunRecord> {
    const going = isUuid(id) && (await this.canceller.cancel(organizationId, id, reason));
    const record = await this.glance(organizationId, id);
    if (record === null) throw notFound('Run');
    if (!going && record.status !== 'cancelled') throw new AppError('run_ended', 'The run has ended');
    return record;
  }

  /** What is needed to decide about a run, not to show it: without the events of a log, and from memory where it goes on here. */
  async glance(organizationId: string, id: string): Promise<RunRecord | null> {
    const run = this.active.get(id);
    const held = run === undefined ? this.endings.find(id) : runningRecord(run);
    if (held !== undefined) return within(organizationId, held);
    return isUuid(id) ? this.runs.within(organizationId).record(id) : null;
  }

  /** The run, wherever it is by now: going on in this process, waiting to be written, or in the table. */
  async find(organizationId: string, id: string): Promise<RunRecord | null> {
    const run = this.active.get(id);
    if (run?.background === false) return within(organizationId, runningRecord(run));
    const held = this.endings.find(id);
    if (held !== undefined) return within(organizationId, held);
    const record = isUuid(id) ? await this.runs.within(organizationId).record(id) : null;
    return record === null ? null : this.withEvents(record, run);
  }

  /** Newest first, runs of this process that go on included. */
  async list(organizationId: string, filter: RunFilter, page: PageRequest): Promise<Page<RunRecord>> {
    const running = this.going(organizationId, filter);
    await this.endings.flush();
    const stored = await this.runs.within(organizationId).page(filter, page);
    const known = new Set(stored.records.map(({ id }) => id));
    const going = running.filter(({ id }) => !known.has(id) && !this.active.hasRow(id));
    const after = cursorId(page);
    const current = stored.records.map((record) => this.current(record));
    const records = [...going.filter(({ id }) => after === null || id < after), ...current];
    records.sort((a, b) => (a.id < b.id ? 1 : -1));
    return { ...pageOf(records, page.limit, ({ id }) => id), total: stored.total + going.length };
  }

  /** Runs on behalf of one that `find` gave, oldest first. */
  async nested({ id, organizationId }: Pick<RunRecord, 'id' | 'organizationId'>): Promise<readonly RunRecord[]> {
    const going = this.active
      .values()
      .filter(({ input }) => input.parentRunId === id)
      .map(runningRecord);
    await this.endings.flush();
    const stored = await this.runs.within(organizationId).nested(id);
    const known = new Set(stored.map((record) => record.id));
    return [...stored, ...going.filter((record) => !known.has(record.id))];
  }

  async stats(assistantId: number, organizationId: string): Promise<RunStats> {
    await this.endings.flush();
    return this.runs.within(organizationId).stats(assistantId);
  }

  /** Writes what waits to be written. */
  flush(): Promise<void> {
    return this.endings.flush();
  }

  private async withEvents(record: RunRecord, run: Run | undefined): Promise<RunRecord> {
    if (!record.background) return record;
    return { ...this.current(record, run), events: await this.reader.events(record) };
  }

  /** A row that says that the run goes on does not say how far it is. */
  private current(record: RunRecord, run = this.active.get(record.id)): RunRecord {
    if (run === undefined || record.status !== 'running') return record;
    const { tools, plan } = runningRecord(run);
    return { ...record, tools, plan };
  }

  private going(organizationId: string, filter: RunFilter): RunRecord[] {
    if (filter.status !== undefined && filter.status !== 'running') return [];
    return this.active
      .values()
      .filter(({ input }) => belongs(input, organizationId, filter) && matches(input, filter))
      .filter(({ id }) => !this.active.hasRow(id))
      .map(runningRecord);
  }
}

/** Runs of the organization's assistants, and those that its members asked of another one's. */
const within = (organizationId: string, record: RunRecord): RunRecord | null =>
  record.organizationId === organizationId || (record.callerOrganizationId === organizationId && !record.parentRunId)
    ? record
    : null;

const belongs = ({ assistant, caller, parentRunId }: RunInput, organizationId: string, { asker }: RunFilter): boolean =>
  assistant.organizationId === organizationId ||
  (!parentRunId && caller.organizationId === organizationId && caller.userId === asker);

function matches({ assistant, caller, parentRunId }: RunInput, filter: RunFilter): boolean {
  if (filter.assistantId !== undefined && filter.assistantId !== assistant.id) return false;
  if (filter.onlyAssistants && !filter.onlyAssistants.includes(assistant.id)) return false;
  const { visibleTo } = filter;
  if (visibleTo === undefined || visibleTo.assistantIds.includes(assistant.id)) return true;
  return visibleTo.userId === caller.userId && (parentRunId ?? null) === null;
}
