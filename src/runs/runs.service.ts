import {
  AppError,
  COUNT_LIMIT,
  type JsonObject,
  type PageRequest,
  encodeCursor,
  isUuid,
  pageOf,
  uuidCursor,
  uuidTime,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { BackgroundRuns, type WithQueuedRun } from './background-runs';
import { RunEndings } from './run-endings';
import { RunCanceller } from './keeping/run-canceller';
import { type FollowOptions, RunReader } from './run-reader';
import type { TakeEvents } from './run-tails';
import type { SignedReceipt } from './receipts';
import { runningRecord } from './run-record';
import { RunRepository } from './run.repository';
import { ActiveRuns, Run } from './run';
import type {
  Recording,
  RunFilter,
  RunInput,
  RunOutcome,
  RunPage,
  RunRating,
  RunRecord,
  RunStats,
  UnkeptReason,
} from './run.types';

/**
 * Opens, ends, finds, follows and cancels runs. The record of a run that answers a request is written behind the answer. A
 * background run is in the database from the beginning, with a log of its events.
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

  /** Opens a run that answers a request. */
  open(input: RunInput): Run {
    const run = new Run(input);
    this.active.add(run);
    run.start();
    return run;
  }

  /**
   * Queues a background run. A process that serves executes it with its `RUN_EXECUTOR`. `also` writes in the transaction
   * that queues the run.
   */
  enqueue(input: RunInput, request: JsonObject, also?: WithQueuedRun): Promise<RunRecord> {
    return this.background.enqueue(input, request, also);
  }

  /** Emits the last events and records the run. Later calls do nothing. */
  finish(run: Run, outcome: RunOutcome): void {
    this.endings.finish(run, outcome);
  }

  /**
   * Gives the events after `after`, past and future, up to the terminal one to `take`; same bytes in every process. A run
   * that answers a request is followed live in its own process only.
   */
  follow(record: RunRecord, options: FollowOptions, take: TakeEvents): Promise<void> {
    return this.reader.follow(record, options, take);
  }

  /** The model's text so far in a background run; null without any. */
  answer(record: RunRecord): Promise<string | null> {
    return this.reader.answer(record);
  }

  /**
   * Cancels a run in any process. A running run may end after this resolves; repeating a cancellation changes nothing.
   * @throws AppError `not_found`, `run_ended`.
   */
  async cancel(organizationId: string, id: string, reason: string): Promise<RunRecord> {
    const going = isUuid(id) && (await this.canceller.cancel(organizationId, id, reason));
    const record = existing(await this.glance(organizationId, id), 'Run');
    if (!going && record.status !== 'cancelled') throw new AppError('run_ended', 'The run has ended');
    return record;
  }

  /** Replaces the asker's rating; null takes it back. @throws AppError `conflict` before the run has ended */
  async rate({ id, userId }: Pick<RunRecord, 'id' | 'userId'>, rating: RunRating | null): Promise<void> {
    await this.endings.flush();
    if (!(await this.runs.rate(id, userId, rating)))
      throw new AppError('conflict', 'The answer can be rated when it has ended', { reason: 'run.not_ended' });
  }

  /** The run for access checks: without the events of its log, from memory if it runs here. */
  async glance(organizationId: string, id: string): Promise<RunRecord | null> {
    const run = this.active.get(id);
    const held = run === undefined ? this.endings.find(id) : runningRecord(run);
    if (held !== undefined) return within(organizationId, held);
    return isUuid(id) ? this.runs.within(organizationId).record(id) : null;
  }

  /** The run, whether it runs here, waits in the buffer or is in the table. */
  async find(organizationId: string, id: string): Promise<RunRecord | null> {
    const run = this.active.get(id);
    if (run?.background === false) return within(organizationId, runningRecord(run));
    const held = this.endings.find(id);
    if (held !== undefined) return within(organizationId, held);
    const record = isUuid(id) ? await this.runs.within(organizationId).record(id) : null;
    return record === null ? null : this.withEvents(record, run);
  }

  /** Newest first, including running ones of this process. */
  async list(organizationId: string, filter: RunFilter, page: PageRequest): Promise<RunPage> {
    const running = this.going(organizationId, filter);
    await this.endings.flush();
    const stored = await this.runs.within(organizationId).page(filter, page);
    const known = new Set(stored.records.map(({ id }) => id));
    const going = running.filter(({ id }) => !known.has(id) && !this.active.hasRow(id));
    const after = uuidCursor(page.cursor);
    const current = stored.records.map((record) => this.current(record));
    const records = [...going.filter(({ id }) => after === null || id < after), ...current];
    records.sort((a, b) => (a.id < b.id ? 1 : -1));
    const { items, next_cursor } = pageOf(records, page.limit, ({ id }) => id);
    const reach = next_cursor === null ? stored.reach : null;
    return {
      items,
      next_cursor: reach === null ? next_cursor : encodeCursor([reach]),
      total: Math.min(COUNT_LIMIT, stored.total + going.length),
      lookedBackTo: reach === null ? null : uuidTime(reach),
    };
  }

  /** Runs that a found run started, oldest first. */
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

  /** Recording of a found run, or why it is not kept. */
  async recording({ id, organizationId }: RunPlace): Promise<Recording | UnkeptReason | 'deleted'> {
    await this.endings.flush();
    return this.runs.within(organizationId).recording(id);
  }

  /** The whole receipt of a found run; null before its end, in old runs, and for a run whose process was lost. */
  async receipt({ id, organizationId }: RunPlace): Promise<SignedReceipt | null> {
    await this.endings.flush();
    return this.runs.within(organizationId).receipt(id);
  }

  /** Runs of the organization that have not ended. */
  async unended(organizationId: string, ids: readonly string[]): Promise<readonly string[]> {
    const records = await this.figures(organizationId, ids);
    return records.filter(({ finishedAt }) => finishedAt === null).map(({ id }) => id);
  }

  /** Runs of the organization by id, as lists show them. */
  async figures(organizationId: string, ids: readonly string[]): Promise<readonly RunRecord[]> {
    if (ids.length === 0) return [];
    await this.endings.flush();
    return this.runs.within(organizationId).byIds(ids);
  }

  async stats(assistantId: number, organizationId: string): Promise<RunStats> {
    await this.endings.flush();
    return this.runs.within(organizationId).stats(assistantId);
  }

  /** Writes buffered records. */
  flush(): Promise<void> {
    return this.endings.flush();
  }

  private async withEvents(record: RunRecord, run: Run | undefined): Promise<RunRecord> {
    if (!record.background) return record;
    return { ...this.current(record, run), events: await this.reader.events(record) };
  }

  /** Adds the progress that a running row does not have. */
  private current(record: RunRecord, run = this.active.get(record.id)): RunRecord {
    if (run === undefined || record.status !== 'running') return record;
    const { tools, plan } = runningRecord(run);
    return { ...record, tools, plan };
  }

  private going(organizationId: string, filter: RunFilter): RunRecord[] {
    if (filter.hasProblems === true || filter.rating !== undefined) return [];
    if (filter.status !== undefined && filter.status !== 'running') return [];
    return this.active
      .values()
      .filter(({ input }) => belongs(input, organizationId, filter) && matches(input, filter))
      .filter(({ id }) => !this.active.hasRow(id))
      .filter((run) => isWithin(run, filter))
      .map(runningRecord);
  }
}

type RunPlace = Pick<RunRecord, 'id' | 'organizationId'>;

/** The record, if the organization owns the assistant or one of its members asked. */
const within = (organizationId: string, record: RunRecord): RunRecord | null =>
  record.organizationId === organizationId || (record.callerOrganizationId === organizationId && !record.parentRunId)
    ? record
    : null;

const belongs = ({ assistant, caller, parentRunId }: RunInput, organizationId: string, { asker }: RunFilter): boolean =>
  assistant.organizationId === organizationId ||
  (!parentRunId && caller.organizationId === organizationId && caller.userId === asker);

function isWithin({ createdAt, input }: Run, { from = 0, to = Infinity, userId, question = '' }: RunFilter): boolean {
  const begun = createdAt.getTime();
  if (begun < from || begun >= to || (userId !== undefined && input.caller.userId !== userId)) return false;
  return (input.question ?? '').toLowerCase().includes(question.toLowerCase());
}

function matches({ assistant, caller, parentRunId, draft }: RunInput, filter: RunFilter): boolean {
  if (filter.withoutDrafts === true && draft === true) return false;
  if (filter.assistantId !== undefined && filter.assistantId !== assistant.id) return false;
  if (filter.onlyAssistants && !filter.onlyAssistants.includes(assistant.id)) return false;
  const { visibleTo } = filter;
  if (visibleTo === undefined || visibleTo.assistantIds.includes(assistant.id)) return true;
  return visibleTo.userId === caller.userId && (parentRunId ?? null) === null;
}
