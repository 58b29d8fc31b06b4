import { uuidv7 } from '@bellwether/kernel';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AcrossOrganizations, type Transaction, addOnce, isDatabaseUnavailable } from '../infrastructure/database';

const FLUSH_MS = 250;
const RETRY_MS = 1_000;
/** While the database does not answer, rows beyond this number are written to the log instead. */
const CAPACITY = 20_000;

interface Batch {
  readonly id: string;
  readonly rows: readonly UsageRow[];
}

const batchOf = (rows: readonly UsageRow[]): Batch => ({ id: uuidv7(), rows });

const keyOf = (row: UsageRow): string =>
  [
    row.organizationId,
    row.day,
    row.callerOrganizationId,
    row.assistantId,
    row.provider,
    row.model,
    row.userId,
    row.credentialId,
  ].join('\n');

/** The person, key and assistant of usage, and the organization that pays for it. */
export interface UsageSubject {
  readonly organizationId: string;
  /** Organization of the asker when it is another one; else null. */
  readonly callerOrganizationId: string | null;
  /** Null for work of no assistant, such as embedding documents. */
  readonly assistantId: number | null;
  readonly assistantName: string | null;
  /** Null for work of no person. */
  readonly userId: string | null;
  /** Id of an API key; null for sessions and tokens, which are too many to count one by one. */
  readonly credentialId: string | null;
}

export interface UsageFigures {
  readonly runs: number;
  /** Runs that failed or were cancelled. */
  readonly failed: number;
  readonly modelCalls: number;
  /** Model calls whose tokens are estimates: the vendor reported none. */
  readonly estimatedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The part of `promptTokens` that the vendor read from its cache. */
  readonly cachedTokens: number;
  /** Millionths of the organization's currency. */
  readonly costMicros: number;
}

/** Usage of one model on one day (UTC, `YYYY-MM-DD`). Provider and model are empty for runs that asked no model. */
export interface UsageRow extends UsageSubject, UsageFigures {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
}

export const NO_USAGE: UsageFigures = {
  runs: 0,
  failed: 0,
  modelCalls: 0,
  estimatedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  costMicros: 0,
};

export const addFigures = (one: UsageFigures, other: UsageFigures): UsageFigures => ({
  runs: one.runs + other.runs,
  failed: one.failed + other.failed,
  modelCalls: one.modelCalls + other.modelCalls,
  estimatedCalls: one.estimatedCalls + other.estimatedCalls,
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
  costMicros: one.costMicros + other.costMicros,
});

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

const COLUMNS = [
  ['organization_id', 'organizationId', 'uuid'],
  ['day', 'day', 'date'],
  ['caller_organization_id', 'callerOrganizationId', 'uuid'],
  ['assistant_id', 'assistantId', 'integer'],
  ['provider', 'provider', 'text'],
  ['model', 'model', 'text'],
  ['user_id', 'userId', 'uuid'],
  ['credential_id', 'credentialId', 'uuid'],
] as const;

const FIGURES = [
  ['runs', 'runs', 'integer'],
  ['failed', 'failed', 'integer'],
  ['model_calls', 'modelCalls', 'integer'],
  ['estimated_calls', 'estimatedCalls', 'integer'],
  ['prompt_tokens', 'promptTokens', 'bigint'],
  ['completion_tokens', 'completionTokens', 'bigint'],
  ['cached_tokens', 'cachedTokens', 'bigint'],
  ['cost_micros', 'costMicros', 'bigint'],
] as const;

const ALL = [...COLUMNS, ['assistant_name', 'assistantName', 'text'] as const, ...FIGURES];
const namesOf = (columns: readonly (readonly [string, string, string])[]): string =>
  columns.map(([name]) => name).join(', ');

/** `$1` is a JSON array of rows, `$2` the id of the batch. Locks in one order, like every process that adds usage. */
const ADD = `
  ${addOnce('$2')}
  INSERT INTO usage_days AS held (${namesOf(ALL)})
  SELECT ${ALL.map(([, property]) => `r."${property}"`).join(', ')}
  FROM json_to_recordset($1::json) AS r(${ALL.map(([, property, type]) => `"${property}" ${type}`).join(', ')})
  WHERE EXISTS (SELECT FROM once)
  ORDER BY ${COLUMNS.map(([, property]) => `r."${property}"`).join(', ')}
  ON CONFLICT ON CONSTRAINT usage_days_uq DO UPDATE SET
    assistant_name = coalesce(excluded.assistant_name, held.assistant_name),
    ${FIGURES.map(([name]) => `${name} = held.${name} + excluded.${name}`).join(', ')}`;

/** Usage by day. The rows of one call must differ in their key. */
@Injectable()
export class UsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** A repetition with the same `id` adds nothing. */
  @AcrossOrganizations('batches')
  async add(id: string, rows: readonly UsageRow[], tx: Transaction = this.dataSource.manager): Promise<void> {
    await tx.query(ADD, [JSON.stringify(rows), id]);
  }
}

/**
 * Adds usage to its days behind the answers, summed up in memory. A process that is killed loses what it has not written:
 * a quarter of a second, or an outage of the database.
 */
@Injectable()
export class UsageBuffer implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private pending = new Map<string, UsageRow>();
  /** Batches whose write is not confirmed. They are sent again unchanged, because an error leaves the outcome unknown. */
  private sent: Batch[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private closed = false;

  constructor(private readonly days: UsageRepository) {}

  add(row: UsageRow): void {
    if (this.closed) return this.lost([row], 'shutdown');
    const key = keyOf(row);
    const held = this.pending.get(key);
    if (held === undefined && this.pending.size >= CAPACITY) return this.lost([row], 'full');
    this.pending.set(key, held === undefined ? row : { ...row, ...addFigures(held, row) });
    this.schedule(FLUSH_MS);
  }

  /** Resolves when all rows so far are stored. Rejects when the database does not answer; the rows stay. */
  async flush(): Promise<void> {
    await this.writing;
    if (this.pending.size === 0 && this.sent.length === 0) return;
    this.writing = this.write().finally(() => (this.writing = null));
    await this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.lost([...this.sent.flatMap(({ rows }) => rows), ...this.pending.values()], 'shutdown');
  }

  private schedule(delay: number): void {
    if (this.closed || this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch(() => undefined);
    }, delay);
    this.timer.unref();
  }

  private async write(): Promise<void> {
    try {
      await this.send();
      if (this.pending.size === 0) return;
      this.sent = [batchOf([...this.pending.values()])];
      this.pending = new Map();
      await this.send();
    } catch (error) {
      this.schedule(RETRY_MS);
      throw error;
    }
  }

  /** A refused row, for example of a deleted organization, does not drop the others of its batch. */
  private async send(): Promise<void> {
    for (let [batch] = this.sent; batch !== undefined; [batch] = this.sent) {
      const { id, rows } = batch;
      try {
        await this.days.add(id, rows);
        this.sent.shift();
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        this.sent.shift();
        if (rows.length === 1) this.lost(rows, 'refused');
        else this.sent.unshift(...rows.map((row) => batchOf([row])));
      }
    }
  }

  /** The log keeps the figures. */
  private lost(rows: readonly UsageRow[], reason: string): void {
    for (const row of rows) this.logger.error({ msg: 'usage could not be stored', reason, ...row });
  }
}
