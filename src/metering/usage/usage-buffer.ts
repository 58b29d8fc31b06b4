import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../platform/database';
import { addFigures, type UsageRow } from './usage.types';
import { UsageRepository } from './usage.repository';

const FLUSH_MS = 250;
const RETRY_MS = 1_000;
/** While the database does not answer, rows beyond this number are written to the log instead. */
const CAPACITY = 20_000;

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
export class UsageBuffer implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Usage');
  private pending = new Map<string, UsageRow>();
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;

  constructor(private readonly days: UsageRepository) {}

  add(row: UsageRow): void {
    const key = keyOf(row);
    const held = this.pending.get(key);
    if (held === undefined && this.pending.size >= CAPACITY) return this.lost([row], 'full');
    this.pending.set(key, held === undefined ? row : { ...row, ...addFigures(held, row) });
    this.schedule(FLUSH_MS);
  }

  /** Resolves when all rows so far are stored. Rejects when the database does not answer; the rows stay. */
  async flush(): Promise<void> {
    await this.writing;
    if (this.pending.size === 0) return;
    const rows = this.pending;
    this.pending = new Map();
    this.writing = this.write(rows).finally(() => (this.writing = null));
    await this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    await this.flush().catch(() => this.lost([...this.pending.values()], 'shutdown'));
  }

  private schedule(delay: number): void {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch(() => this.schedule(RETRY_MS));
    }, delay);
    this.timer.unref();
  }

  private async write(rows: ReadonlyMap<string, UsageRow>): Promise<void> {
    try {
      await this.days.add([...rows.values()]);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        for (const row of rows.values()) this.add(row);
        throw error;
      }
      await this.writeSingly([...rows.values()]);
    }
  }

  /** A refused row, for example of a deleted organization, does not drop the others. */
  private async writeSingly(rows: readonly UsageRow[]): Promise<void> {
    for (const row of rows) {
      try {
        await this.days.add([row]);
      } catch (error) {
        if (isDatabaseUnavailable(error)) this.add(row);
        else this.lost([row], 'refused');
      }
    }
  }

  /** The log keeps the figures. */
  private lost(rows: readonly UsageRow[], reason: string): void {
    for (const row of rows) this.logger.error({ msg: 'usage could not be stored', reason, ...row });
  }
}
