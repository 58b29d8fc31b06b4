import { Injectable } from '@nestjs/common';
import { uuidv7 } from '../kernel';
import type { Run } from './run';

/** The runs that go on in this process. */
@Injectable()
export class ActiveRuns {
  /** Of this process, once: rows that name it are nobody else's to write. */
  readonly workerId = uuidv7();
  private readonly runs = new Map<string, Run>();
  /** Those whose row says that they go on. */
  private readonly rows = new Set<string>();

  get size(): number {
    return this.runs.size;
  }

  add(run: Run): void {
    this.runs.set(run.id, run);
    if (run.background) this.rows.add(run.id);
  }

  get(id: string): Run | undefined {
    return this.runs.get(id);
  }

  /** False when it had gone already. */
  delete(id: string): boolean {
    this.rows.delete(id);
    return this.runs.delete(id);
  }

  values(): Run[] {
    return [...this.runs.values()];
  }

  hasRow(id: string): boolean {
    return this.rows.has(id);
  }

  /** Its row is in the table, or on its way. */
  keepRow(id: string): void {
    if (this.runs.has(id)) this.rows.add(id);
  }

  withRow(): string[] {
    return [...this.rows];
  }
}
