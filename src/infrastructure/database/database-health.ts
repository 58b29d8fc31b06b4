import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { databaseLacksSpace, isReadOnlyServer, opensConnection, schemaStatus } from '../postgres';

/** Milliseconds before readiness calls the database gone. */
const PATIENCE_MS = 1_500;
/** Milliseconds for which one new connection proves that others can be made. */
const PROOF_MS = 10_000;

/** Fails on a standby. The client then closes the connection, so that a later probe reaches the new primary. */
const DEMAND_WRITES = `
  DO $$ BEGIN
    IF current_setting('transaction_read_only')::boolean THEN RAISE read_only_sql_transaction; END IF;
  END $$`;

@Injectable()
export class DatabaseHealth {
  private provenAt = -PROOF_MS;

  constructor(private readonly dataSource: DataSource) {}

  /** `ok`, or in a few words what keeps the service from using the database. Never rejects. */
  async check(): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve('no answer in time'), PATIENCE_MS);
    });
    try {
      return await Promise.race([this.ask(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** `ok`, or that writes fail for lack of space. Reads go on, so the service stays ready. */
  get storage(): string {
    return databaseLacksSpace() ? 'the disk of the database is full' : 'ok';
  }

  private async ask(): Promise<string> {
    try {
      await this.dataSource.query(DEMAND_WRITES);
      const { pending, contracted } = await schemaStatus(this.dataSource);
      if (contracted.length > 0) return 'schema is newer than this build';
      if (pending.length > 0) return 'schema is older than this build';
      return (await this.opensConnections()) ? 'ok' : 'refuses new connections';
    } catch (error) {
      return isReadOnlyServer(error) ? 'accepts no writes' : 'cannot be reached';
    }
  }

  /** Connections of the pool outlive a socket, address or credential that no longer serves new ones. */
  private async opensConnections(): Promise<boolean> {
    if (performance.now() - this.provenAt < PROOF_MS) return true;
    const opens = await opensConnection(this.dataSource, PATIENCE_MS);
    if (opens) this.provenAt = performance.now();
    return opens;
  }
}
