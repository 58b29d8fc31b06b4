import { Injectable } from '@nestjs/common';
import { uuidv7 } from '../../kernel';
import type { Run } from './run';

/** The runs of this process that have not ended. */
@Injectable()
export class ActiveRuns {
  /** Id of this process. Only this process writes rows with its id. */
  readonly workerId = uuidv7();
  private readonly runs = new Map<string, Run>();
  /** Ids of runs that have a row in the table. */
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

  /** False when it was not there. */
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

  keepRow(id: string): void {
    if (this.runs.has(id)) this.rows.add(id);
  }

  withRow(): string[] {
    return [...this.rows];
  }
}
