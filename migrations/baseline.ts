import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of one module in a new database. The `Baseline` at the start of a name makes a migration irrevocable. */
export abstract class Baseline implements MigrationInterface {
  abstract readonly name: string;
  protected abstract readonly schema: string;

  /** One table after the other: all of a module together would be logged as a slow statement on a busy machine. */
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const part of this.schema.split('\n\n')) await queryRunner.query(part);
  }

  down(): Promise<void> {
    return Promise.reject(new Error(`${this.name} made the tables of a module and cannot be reverted`));
  }
}
