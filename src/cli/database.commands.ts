import { type Command, Option } from 'commander';
import type { Register } from '../infrastructure/commands';
import type { RevertOptions } from './change-schema';
import type { ExportTarget } from './export-database';

/** `db:*` changes the schema by hand; `export` copies the embedded database to a server. */
export function registerDatabaseCommands(program: Command, register: Register): void {
  register(
    program.command('db:status').description('which migrations are applied, pending or unknown'),
    async (config) => (await import('./change-schema.js')).showStatus(config),
  );
  register(program.command('db:migrate').description('apply pending migrations'), async (config) =>
    (await import('./change-schema.js')).applyPending(config),
  );
  register<RevertOptions>(
    program
      .command('db:revert')
      .description('undo the last migration and delete the data that it stores (stop the servers first)')
      .option('--force', 'even while servers are connected; they stop being ready'),
    async (config, options) => (await import('./change-schema.js')).revert(config, options),
  );
  register<ExportTarget>(
    program
      .command('export')
      .description('copy the embedded database into an empty one on a PostgreSQL server; switches nothing')
      .addOption(
        new Option('--to <url>', 'postgres://user:password@host/database; here the password may come from PGPASSWORD')
          .env('EXPORT_DATABASE_URL')
          .makeOptionMandatory(),
      ),
    async (...given) => (await import('./export-database.js')).exportTo(...given),
  );
}
