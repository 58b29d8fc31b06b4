import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migrations } from '../../migrations';
import { BadUsage, type CommandContext, type CommandResult } from '../infrastructure/commands';
import type { Config } from '../infrastructure/config';
import { exportDatabase, type ExportReport } from '../infrastructure/postgres';
import { SECRETS_KEY_FILE } from '../infrastructure/secrets';

export interface ExportTarget {
  readonly to: string;
}

/** Copies the embedded database to a server. */
export async function exportTo(config: Config, { to }: ExportTarget, context: CommandContext): Promise<CommandResult> {
  assertServerUrl(to);
  if (config.database.url !== null) {
    throw new BadUsage(
      'DATABASE_URL is set. This copies the embedded database of DATA_DIR: run it without DATABASE_URL. ' +
        'From server to server use pg_dump.',
    );
  }
  const { signal, progress } = context;
  try {
    const report = await exportDatabase({
      dataDir: config.database.dataDir,
      to,
      migrations,
      signal,
      report: (reached) => progress.report(reached),
    });
    return resultOf(report, config);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    const text = 'Stopped. No row was written there and nothing changed here; run the command again to start over.';
    return { text, data: { interrupted: true }, ok: false };
  }
}

function assertServerUrl(text: string): void {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'postgres:' || protocol === 'postgresql:') return;
  throw new BadUsage('--to or EXPORT_DATABASE_URL must be a URL like postgres://user:password@host/database');
}

function resultOf(report: ExportReport, config: Config): CommandResult {
  const { tables, rows, takenAt, beside } = report;
  const width = Math.max(...tables.map(({ table }) => table.length));
  const lines = tables.map(
    ({ table, rows: count, checksum }) => `${table.padEnd(width)} ${String(count).padStart(10)}  ${checksum}`,
  );
  return {
    text: [
      `${'Table'.padEnd(width)} ${'Rows'.padStart(10)}  Checksum (equal on both sides)`,
      ...lines,
      `${tables.length} tables, ${rows} rows: copied and compared.`,
      '',
      'Nothing has been switched. To use the copy:',
      ...stepsAfter(report, config).map((step, index) => `  ${index + 1}. ${step}`),
    ].join('\n'),
    data: { tables, rows, taken_at: takenAt.toISOString(), beside_server: beside },
  };
}

function stepsAfter({ takenAt, beside }: ExportReport, { database, secrets }: Config): string[] {
  const keyFile = join(database.dataDir, SECRETS_KEY_FILE);
  const late = `What was written after ${takenAt.toISOString()} is not in the copy`;
  return [
    beside
      ? `Stop the service. ${late}: to lose nothing, export again into an empty database once it is stopped.`
      : `Keep the service stopped. ${late}.`,
    'Start it with DATABASE_URL set to that database.',
    `Keep DATA_DIR (${database.dataDir}): files and documents stay there. Its folder postgres/ is not used any more.`,
    secrets.keys.length > 0
      ? 'Keep SECRETS_KEY as it is: stored keys are sealed with it.'
      : existsSync(keyFile)
        ? `Set SECRETS_KEY to the content of ${keyFile}: production demands it, and stored keys are sealed with it.`
        : 'Set SECRETS_KEY: production demands it.',
  ];
}
