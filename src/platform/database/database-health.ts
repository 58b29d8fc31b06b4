import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { schemaStatus } from '../postgres';

/** Milliseconds before readiness calls the database gone. */
const PATIENCE_MS = 1_500;

@Injectable()
export class DatabaseHealth {
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
      return pending.length > 0 ? 'schema is older than this build' : 'ok';
    } catch {
      return 'cannot be reached';
    }
  }
}
