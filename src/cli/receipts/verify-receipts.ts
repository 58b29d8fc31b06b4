import { isJsonObject } from '@bellwether/kernel';
import { readFile } from 'node:fs/promises';
import type { Config } from '../../infrastructure/config';
import { checkReceipt, type ReceiptCheck, type ReceiptKey, ReceiptKeys } from '../../runs/receipts';
import { withApplication } from '../context';
import { BadUsage, type CommandContext, type CommandResult } from '../../infrastructure/commands';

export interface VerifyOptions {
  readonly keys?: string;
}

const REASONS = {
  malformed: 'is no receipt',
  unknown_key: 'was signed with an unknown key',
  signature: 'was changed after it was signed',
  part_changed: 'has a changed part',
  part_unknown: 'has an added part',
  seal: 'is not in the sealed log that it names',
} as const;

/** Exit code 1 when a receipt is refused. With `--keys` no database is opened. */
export async function verifyReceipts(
  config: Config,
  { keys: file }: VerifyOptions,
  { args }: CommandContext,
): Promise<CommandResult> {
  const keys = file === undefined ? await storedKeys(config) : await keysIn(file);
  const results: { file: string; check: ReceiptCheck }[] = [];
  for (const name of args) results.push({ file: name, check: await checkReceipt(await jsonOf(name), keys) });
  const refused = results.filter(({ check }) => !check.valid).length;
  const lines = results.map(({ file: name, check }) => `${name}: ${textOf(check)}`);
  const text = [...lines, `${results.length - refused} valid, ${refused} refused`].join('\n');
  const receipts = results.map(({ file: name, check }) => ({ file: name, ...check }));
  return { text, data: { receipts, refused }, ok: refused === 0 };
}

function textOf(check: ReceiptCheck): string {
  if (check.valid) return 'valid';
  return `REFUSED: it ${REASONS[check.reason]}${check.part === undefined ? '' : ` (${check.part})`}`;
}

const storedKeys = (config: Config): Promise<readonly ReceiptKey[]> =>
  withApplication(config, 'institution', (context) => context.get(ReceiptKeys, { strict: false }).published());

export async function keysIn(file: string): Promise<readonly ReceiptKey[]> {
  const read = await jsonOf(file);
  const keys = isJsonObject(read) ? read['keys'] : null;
  if (!Array.isArray(keys)) throw new BadUsage(`${file} holds no set of public keys`);
  return keys as ReceiptKey[];
}

/** Null for a text that is no JSON. @throws when the file cannot be read */
async function jsonOf(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
