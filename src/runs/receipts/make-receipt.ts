import { createHash, randomBytes } from 'node:crypto';
import { partText, type Receipt, RECEIPT_FORMAT, type ReceiptPart, type ReceiptPartName } from './check-receipt';

export type ReceiptValues = Readonly<Partial<Record<ReceiptPartName, unknown>>>;

export interface ReceiptSubject {
  readonly runId: string;
  readonly issuer: string | null;
  readonly values: ReceiptValues;
}

const SALT_BYTES = 16;

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** A whole receipt. Absent values make no part. */
export function makeReceipt({ runId, issuer, values }: ReceiptSubject): Receipt {
  const parts: Record<string, ReceiptPart> = {};
  const digests: Record<string, string> = {};
  const stated = Object.entries(values).filter(([, value]) => value !== undefined);
  // One call for all parts: each call costs more than the bytes.
  const salts = randomBytes(SALT_BYTES * stated.length);
  for (const [at, [name, value]] of stated.entries()) {
    const salt = salts.toString('base64url', at * SALT_BYTES, (at + 1) * SALT_BYTES);
    const part = { salt, value };
    parts[name] = part;
    digests[name] = sha256(partText(name, part));
  }
  return { format: RECEIPT_FORMAT, run_id: runId, issued_at: new Date().toISOString(), issuer, digests, parts };
}

/** The receipt with some of its parts. Its signature stays valid. */
export function withParts(receipt: Receipt, names: ReadonlySet<string>): Receipt {
  const shown = Object.entries(receipt.parts).filter(([name]) => names.has(name));
  return { ...receipt, parts: Object.fromEntries(shown) };
}
