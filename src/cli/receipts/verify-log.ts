import { isJsonObject } from '@bellwether/kernel';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../infrastructure/config';
import { BadUsage, type CommandResult } from '../../infrastructure/commands';
import { OrganizationsService } from '../../organizations';
import { type CheckedSegment, type LogFault, RunLines, RunLogCheck } from '../../runs';
import { type ReceiptKey, ReceiptKeys } from '../../runs/receipts';
import { withApplication } from '../context';
import { keysIn } from './verify-receipts';

export interface VerifyLogOptions {
  readonly org?: string;
  readonly segments?: string;
  readonly keys?: string;
}

const FAULTS: Record<LogFault, string> = {
  lines: 'holds lines that were not sealed',
  signature: 'has a seal that none of the keys signed',
  cut: 'has lost the segment before it: the chain is cut',
  missing: 'is missing, and runs name it',
};

interface LogReport {
  readonly name: string;
  readonly check: RunLogCheck;
}

/** `receipts:verify-log`: exit code 1 for a fault. With `--segments` no database is opened. */
export async function verifyLog(config: Config, options: VerifyLogOptions): Promise<CommandResult> {
  const { segments: file, keys } = options;
  if ((file === undefined) !== (keys === undefined))
    throw new BadUsage('--segments and --keys are given together: a file has no keys of its own');
  const reports =
    file === undefined || keys === undefined ? await inDatabase(config, options) : [await inFile(file, keys)];
  const lines = reports.flatMap(({ name, check }) => [
    `${name}: ${check.faults.length === 0 ? 'intact' : 'NOT INTACT'} (${check.segments} segments)`,
    ...check.faults.map(({ segment, fault }) => `  segment ${segment} ${FAULTS[fault]}`),
  ]);
  const organizations = reports.map(({ name, check: { segments, faults } }) => ({ name, segments, faults }));
  return {
    text: lines.join('\n'),
    data: { organizations },
    ok: reports.every(({ check }) => check.faults.length === 0),
  };
}

const inDatabase = (config: Config, { org }: VerifyLogOptions): Promise<LogReport[]> =>
  withApplication(config, 'institution', async (context) => {
    const organizations = context.get(OrganizationsService);
    const keys = await context.get(ReceiptKeys, { strict: false }).published();
    const chosen = org === undefined ? organizations.every() : [{ slug: org, id: await organizations.idOf(org) }];
    const reports: LogReport[] = [];
    const log = context.get(RunLines, { strict: false });
    for await (const { id, slug } of chosen) {
      const check = await checked(log.every(id), keys);
      for (const segment of await log.lost(id)) check.lost(segment);
      reports.push({ name: slug, check });
    }
    return reports;
  });

async function inFile(file: string, keys: string): Promise<LogReport> {
  const rows = JSON.parse(await readFile(file, 'utf8')) as unknown;
  if (!Array.isArray(rows)) throw new BadUsage(`${file} is no data/run_segments.json of an export`);
  return { name: file, check: await checked(rows.map(segmentOf), await keysIn(keys)) };
}

function segmentOf(row: unknown): CheckedSegment {
  if (!isJsonObject(row)) throw new BadUsage('A row of the file is no segment');
  const { id, lines, sealed_at, ...seal } = row;
  const at = new Date(String(sealed_at)).toISOString();
  return {
    id: String(id),
    seal: { ...seal, sealed_at: at } as unknown as CheckedSegment['seal'],
    entries: Array.isArray(lines) ? lines.map(String) : [],
  };
}

async function checked(
  segments: AsyncIterable<CheckedSegment> | Iterable<CheckedSegment>,
  keys: readonly ReceiptKey[],
): Promise<RunLogCheck> {
  const check = new RunLogCheck(keys);
  for await (const segment of segments) await check.add(segment);
  check.end();
  return check;
}
