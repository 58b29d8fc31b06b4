import { Injectable } from '@nestjs/common';
import { DataSource, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import type { Transaction } from './database.types';

/** SQLSTATE 08006, connection_failure, in the words of this side of the connection. */
class ConnectionLostError extends Error {
  readonly code = '08006';
}

/** One unit of work over several repositories: all of it or nothing. */
@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Commits when `work` resolves, rolls back when it rejects. Only the given transaction may be used inside, and nothing
   * slow may be awaited: on the embedded engine everybody else waits meanwhile.
   */
  async run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.dataSource.transaction(work);
    } catch (error) {
      // TypeORM releases the runner of a connection that died, and from then on says no more than that.
      if (
        error instanceof QueryRunnerAlreadyReleasedError ||
        error instanceof QueryRunnerProviderAlreadyReleasedError
      ) {
        throw new ConnectionLostError('The connection was lost during the transaction', { cause: error });
      }
      throw error;
    }
  }
}
