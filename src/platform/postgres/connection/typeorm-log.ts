import { Logger } from '@nestjs/common/services/logger.service.js';
import type { Logger as TypeOrmLogger } from 'typeorm';

const LONGEST_STATEMENT = 500;

/** Logs warnings and slow statements, never parameters: they are personal data and secrets. */
export class TypeOrmLog implements TypeOrmLogger {
  private readonly logger = new Logger('Database');

  logQuerySlow(milliseconds: number, statement: string): void {
    this.logger.warn(
      `A statement took ${milliseconds} ms: ${statement.replace(/\s+/g, ' ').slice(0, LONGEST_STATEMENT)}`,
    );
  }

  logMigration(message: string): void {
    this.logger.error(message);
  }

  log(level: 'log' | 'info' | 'warn', message: unknown): void {
    if (level === 'warn') this.logger.warn(String(message));
  }

  /** The caller logs the error with its request. */
  logQueryError(): void {}

  logQuery(): void {}

  logSchemaBuild(): void {}
}
