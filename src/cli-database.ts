import type { Command } from 'commander';
import type { Register } from './cli-output';
import { withDatabase } from './cli-context';
import { migrate, type OpenDatabase, revertLast, runningServers, schemaStatus } from './platform/database';

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
    withDatabase(config, async (database) => {
      const { pending } = await schemaStatus(database.dataSource);
      if (pending.length > 0) assertNotShared(database);
      const applied = await migrate(database.dataSource);
      return { text: applied.length === 0 ? 'Nothing to do.' : `Applied\n${list(applied)}`, data: { applied } };
    }),
  );
  register<{ force?: boolean }>(
    program
      .command('db:revert')
      .description('take the last migration back, with what is stored by it (stop the servers first)')
      .option('--force', 'although servers are connected, which are not ready from then on'),
    (config, { force = false }) =>
      withDatabase(config, async (database) => {
        assertNotShared(database);
        if (!force) await assertAlone(database);
        const reverted = await revertLast(database.dataSource);
        return { text: reverted === null ? 'Nothing to revert.' : `Reverted ${reverted}`, data: { reverted } };
      }),
  );
}

/** The embedded engine does one thing at a time, and its server would go on with a schema that it does not know. */
function assertNotShared({ engine }: OpenDatabase): void {
  if (engine !== 'shared') return;
  throw new Error('A running server has this database. Stop it first; it brings the schema up to date when it starts.');
}

async function assertAlone({ dataSource }: OpenDatabase): Promise<void> {
  const servers = await runningServers(dataSource);
  if (servers === 0) return;
  throw new Error(`${servers} running server(s) use this database. Stop them first, or insist with --force.`);
}
