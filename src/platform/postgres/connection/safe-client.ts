import { Client, type ClientConfig } from 'pg';

/** The message of `pg` for a query that ran into its client-side timeout. */
const READ_TIMEOUT = 'Query read timeout';

/**
 * Adds an error listener to the pool's client. Between pool and query runner a client briefly has none, and an error
 * would end the process.
 */
export class SafeClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((...given: unknown[]) => {
      const answer = query(...given);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.dropAfterTimeout(error));
      return answer;
    }) as Client['query'];
  }

  /** The query still occupies the connection: a `ROLLBACK` behind it would wait for a second timeout. */
  protected dropAfterTimeout(error: unknown): void {
    if (error instanceof Error && error.message === READ_TIMEOUT) this.end().catch(() => undefined);
  }
}
