import type { MigrationInterface } from 'typeorm';

/** Every migration, in any order: TypeORM sorts them by the timestamp at the end of the class name. */
export const migrations: (new () => MigrationInterface)[] = [];
