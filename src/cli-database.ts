import type { Command } from 'commander';
import type { Register } from './cli-output';
import { withDatabase } from './cli-context';
import { migrate, revertLast, schemaStatus } from './platform/database';

const list = (names: readonly string[]): string =>
  names.length === 0 ? '  none' : names.map((name) => `  ${name}`).join('\n');

/** `db:*`: the schema of the database, by hand. */
export function registerDatabaseCommands(program: Command, register: Register): void {
  register(program.command('db:status').description('which migrations are applied, pending or unknown'), (config) =>
    withDatabase(config, async ({ dataSource, engine }) => {
      const { applied, pending, unknown } = await schemaStatus(dataSource);
      const text = `Applied\n${list(applied)}\nPending\n${list(pending)}\nUnknown to this build\n${list(unknown)}`;
      return { text, data: { engine, applied, pending, unknown }, ok: pending.length === 0 && unknown.length === 0 };
    }),
  );
  register(program.command('db:migrate').description('apply pending migrations'), (config) =>
    withDatabase(config, async ({ dataSource }) => {
      const applied = await migrate(dataSource);
      return { text: applied.length === 0 ? 'Nothing to do.' : `Applied\n${list(applied)}`, data: { applied } };
    }),
  );
  register(
    program.command('db:revert').description('take the last migration back (stop the servers first)'),
    (config) =>
      withDatabase(config, async ({ dataSource }) => {
        const reverted = await revertLast(dataSource);
        return { text: reverted === null ? 'Nothing to revert.' : `Reverted ${reverted}`, data: { reverted } };
      }),
  );
}
