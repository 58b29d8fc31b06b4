import { Logger } from '@nestjs/common/services/logger.service.js';
import type { Logger as TypeOrmLogger } from 'typeorm';

const LONGEST_STATEMENT = 500;

/** Warnings and slow statements only, and never a parameter: parameters are people's data and secrets. */
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

  /** The caller gets the error and knows which request it belongs to. */
  logQueryError(): void {}

  logQuery(): void {}

  logSchemaBuild(): void {}
}
