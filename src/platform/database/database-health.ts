import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { opensConnection, schemaStatus } from '../postgres';

/** Milliseconds before readiness calls the database gone. */
const PATIENCE_MS = 1_500;
/** Milliseconds for which one new connection proves that others can be made. */
const PROOF_MS = 10_000;

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

  private async ask(): Promise<string> {
    try {
      const { pending, contracted } = await schemaStatus(this.dataSource);
      if (contracted.length > 0) return 'schema is newer than this build';
      if (pending.length > 0) return 'schema is older than this build';
      return (await this.opensConnections()) ? 'ok' : 'refuses new connections';
    } catch {
      return 'cannot be reached';
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
