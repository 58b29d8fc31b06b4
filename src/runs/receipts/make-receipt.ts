import { type KeyObject, createHmac, createSecretKey, hash } from 'node:crypto';
import {
  nodeBytes,
  partText,
  type Receipt,
  RECEIPT_FORMAT,
  type ReceiptLog,
  type ReceiptPart,
  type ReceiptPartName,
} from './check-receipt';

export type ReceiptValues = Readonly<Partial<Record<ReceiptPartName, unknown>>>;

export interface ReceiptSubject {
  readonly runId: string;
  readonly issuer: string | null;
  readonly values: ReceiptValues;
  /** Secret of the line, base64url. */
  readonly salt: string;
  readonly log: ReceiptLog;
}

const SALT_BYTES = 16;

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** Part salts come from that of the line, so every receipt of a run has the same digests. */
const saltOf = (salt: KeyObject, part: string): string =>
  createHmac('sha256', salt).update(part).digest().toString('base64url', 0, SALT_BYTES);

/** A whole receipt, of the time of its seal. Absent values make no part. */
export function makeReceipt({ runId, issuer, values, salt, log }: ReceiptSubject): Receipt {
  const parts: Record<string, ReceiptPart> = {};
  const digests: Record<string, string> = {};
  const lineSalt = createSecretKey(Buffer.from(salt, 'base64url'));
  for (const [name, value] of Object.entries(values).filter(([, each]) => each !== undefined)) {
    const part = { salt: saltOf(lineSalt, name), value };
    parts[name] = part;
    digests[name] = sha256(partText(name, part));
  }
  const { sealed_at: issued_at } = log.seal;
  return { format: RECEIPT_FORMAT, run_id: runId, issued_at, issuer, digests, parts, log };
}

/** The receipt with some of its parts. Its signature stays valid. */
export function withParts(receipt: Receipt, names: ReadonlySet<string>): Receipt {
  const shown = Object.entries(receipt.parts).filter(([name]) => names.has(name));
  return { ...receipt, parts: Object.fromEntries(shown) };
}

const node = (left: string, right: string): string =>
  hash('sha256', nodeBytes(Buffer.from(left, 'base64url'), Buffer.from(right, 'base64url')), 'base64url');

/** The nodes above these; the last one without a neighbour rises unchanged. */
function levelAbove(digests: readonly string[]): string[] {
  const above: string[] = [];
  for (let at = 0; at < digests.length; at += 2) {
    const [left = '', right] = digests.slice(at, at + 2);
    above.push(right === undefined ? left : node(left, right));
  }
  return above;
}

/** Root of the Merkle tree over the leaves, of which there is at least one. */
export function merkleRoot(leaves: readonly string[]): string {
  let level = leaves;
  while (level.length > 1) level = levelAbove(level);
  return level[0] ?? '';
}

/** Digests that lead from a leaf to the root. */
export function merklePath(leaves: readonly string[], position: number): string[] {
  const path: string[] = [];
  let level = leaves;
  let at = position;
  while (level.length > 1) {
    const neighbour = level[at % 2 === 0 ? at + 1 : at - 1];
    if (neighbour !== undefined) path.push(neighbour);
    level = levelAbove(level);
    at = Math.floor(at / 2);
  }
  return path;
}
