import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Transaction } from './database.types';

/** One unit of work over several repositories: all of it or nothing. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Commits when `work` resolves, rolls back when it rejects. Only the given transaction may be used inside, and nothing
   * slow may be awaited: on the embedded engine everybody else waits meanwhile.
   */
  run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }
}
