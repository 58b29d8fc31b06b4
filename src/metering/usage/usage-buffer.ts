import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { uuidv7 } from '../../kernel';
import { isDatabaseUnavailable } from '../../infrastructure/database';
import { addFigures, type UsageRow } from './usage.types';
import { UsageRepository } from './usage.repository';

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
