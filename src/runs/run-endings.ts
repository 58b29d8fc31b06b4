import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseUnavailable } from '../infrastructure/database';
import { RunJournal } from './run-journal';
import { RunReceipts } from './run-receipts.service';
import { finishedRecord, storableRecord } from './run-record';
import { RunRepository } from './run.repository';
import { shapeSource } from './shape-report';
import { ActiveRuns, type Run, type RunEnd } from './run';
import type { RunOutcome, RunRecord } from './run.types';
import { RunBuffer, type RunSink } from './run-buffer';

/** Ends runs, once each, and writes their records behind the answers. */
@Injectable()
export class RunEndings implements RunSink, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly buffer = new RunBuffer(this);
  private readonly logger = new Logger('Runs');
  /** Records that were lost since the start. */
  droppedTotal = 0;

  constructor(
    private readonly runs: RunRepository,
    private readonly journal: RunJournal,
    private readonly active: ActiveRuns,
    private readonly receipts: RunReceipts,
  ) {}

  /** The first call wins. */
  finish(run: Run, outcome: RunOutcome): void {
    if (run.isClosed || this.active.get(run.id) !== run) return;
    const secrets = outcome.secrets ?? [];
    const sources = (outcome.sources ?? []).map((source) => shapeSource(source, secrets));
    if (sources.length > 0) run.emit({ type: 'sources', sources });
    if (outcome.usage) run.emit({ type: 'usage', ...outcome.usage });
    run.close(endOf(outcome));
    const record = finishedRecord(run, { ...outcome, sources });
    if (run.background) this.endLog(run, record);
    else {
      this.active.delete(run.id);
      this.buffer.add(record);
    }
  }

  /** An ended run that is not in the table yet. */
  find(id: string): RunRecord | undefined {
    const record = this.buffer.find(id);
    if (record === undefined) return undefined;
    // What its receipt is made of is for nobody else: it holds secrets.
    const { ending: _ending, ...told } = record;
    return told;
  }

  flush(): Promise<void> {
    return this.buffer.flush();
  }

  async write(ended: readonly RunRecord[]): Promise<readonly RunRecord[]> {
    const batch = await Promise.all(ended.map((record) => this.receipts.complete(record)));
    try {
      await this.runs.insertAll(batch);
      return [];
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      return this.writeSingly(batch);
    }
  }

  dropped(count: number, reason: string): void {
    this.droppedTotal += count;
    this.logger.error({ msg: 'run records dropped', count, reason, total: this.droppedTotal });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.buffer.flush().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.buffer.close();
  }

  /** The run stays active, with heartbeats, until its end is committed. */
  private endLog(run: Run, record: RunRecord): void {
    const log = this.journal.find(run.id);
    const gone = (): boolean => this.active.delete(run.id);
    if (log === undefined) gone();
    else {
      void log.settled.then(gone);
      log.end(record);
    }
  }

  /** A refused row does not drop its batch: each row is tried alone, then as its storable copy. */
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
}

function endOf(outcome: RunOutcome): RunEnd {
  if (outcome.status === 'completed') return { type: 'run.completed', finish_reason: outcome.finishReason ?? 'stop' };
  if (outcome.status === 'cancelled') return { type: 'run.cancelled', reason: outcome.message ?? 'cancelled' };
  return { type: 'run.failed', code: outcome.errorCode ?? 'internal_error', message: outcome.message ?? '' };
}
