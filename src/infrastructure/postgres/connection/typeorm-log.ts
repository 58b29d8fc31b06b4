import { Logger } from '@nestjs/common/services/logger.service.js';
import type { Logger as TypeOrmLogger } from 'typeorm';

/** Logs warnings, never parameters: they are personal data and secrets. */
export class TypeOrmLog implements TypeOrmLogger {
  private readonly logger = new Logger('Database');

  /** A migration that did not get its locks is tried again, which is told once. */
  logMigration(message: string): void {
    if (!/lock timeout|deadlock detected/.test(message)) this.logger.error(message);
  }

  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.logger.warn(String(message));
  }

  /** The caller logs the error with its request. */
  logQueryError(): void {}

  logQuery(): void {}

  /** The connection logs slow statements, with the ids of their run. */
  logQuerySlow(): void {}

  logSchemaBuild(): void {}
}
