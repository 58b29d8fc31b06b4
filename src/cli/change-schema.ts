import {
  isUsable,
  migrate,
  type OpenDatabase,
  revertLast,
  runningServers,
  schemaStatus,
} from '../infrastructure/postgres';
import type { Config } from '../infrastructure/config';
import { withDatabase } from './context';
import type { CommandResult } from '../infrastructure/commands';

export interface RevertOptions {
  readonly force?: boolean;
}

const list = (names: readonly string[]): string =>
  names.length === 0 ? '  none' : names.map((name) => `  ${name}`).join('\n');

export const showStatus = (config: Config): Promise<CommandResult> =>
  withDatabase(config, async ({ dataSource, engine }) => {
    const status = await schemaStatus(dataSource);
    const { applied, pending, unknown } = status;
    const text = `Applied\n${list(applied)}\nPending\n${list(pending)}\nUnknown to this build\n${list(unknown)}`;
    return { text, data: { engine, applied, pending, unknown }, ok: isUsable(status) };
  });

export const applyPending = (config: Config): Promise<CommandResult> =>
  withDatabase(config, async (database) => {
    const { pending } = await schemaStatus(database.dataSource);
    if (pending.length > 0) assertNotShared(database);
    const applied = await migrate(database.dataSource, { login: database.login });
    return { text: applied.length === 0 ? 'Nothing to do.' : `Applied\n${list(applied)}`, data: { applied } };
  });

export const revert = (config: Config, { force = false }: RevertOptions): Promise<CommandResult> =>
  withDatabase(config, async (database) => {
    assertNotShared(database);
    if (!force) await assertAlone(database);
    const reverted = await revertLast(database.dataSource, { login: database.login });
    return { text: reverted === null ? 'Nothing to revert.' : `Reverted ${reverted}`, data: { reverted } };
  });

/** A running server of an embedded database expects the schema that it started with. */
function assertNotShared({ engine }: OpenDatabase): void {
  if (engine !== 'shared') return;
  throw new Error('A running server uses this database. Stop it first; its next start applies pending migrations.');
}

async function assertAlone({ dataSource }: OpenDatabase): Promise<void> {
  const servers = await runningServers(dataSource);
  if (servers === 0) return;
  throw new Error(`${servers} running server(s) use this database. Stop them first, or use --force.`);
}
