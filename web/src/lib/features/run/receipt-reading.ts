import {
  checkReceipt,
  type ReceiptCheck,
  type ReceiptKey,
  type SignedReceipt,
} from '../../../../../src/runs/receipts/check-receipt';

export type { ReceiptCheck, ReceiptKey, SignedReceipt };

/** `null` when this browser cannot check signatures. */
export async function checked(text: string, keys: readonly ReceiptKey[]): Promise<ReceiptCheck | null> {
  try {
    return await checkReceipt(jsonIn(text), keys);
  } catch {
    return null;
  }
}

/** Null for no JSON, which no check accepts. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Keys of a file: a set as the service publishes it. */
export function keysIn(text: string): readonly ReceiptKey[] {
  const read = jsonIn(text) as { keys?: unknown } | null;
  return Array.isArray(read?.keys) ? (read.keys as ReceiptKey[]) : [];
}

/** Names of the parts that hold the hash of this text. */
export async function partsWith(text: string, { receipt }: SignedReceipt): Promise<readonly string[]> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const chars = Array.from(new Uint8Array(digest), (byte) => String.fromCharCode(byte)).join('');
  const hash = btoa(chars).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return Object.entries(receipt.parts)
    .filter(([, { value }]) => JSON.stringify(value).includes(`"${hash}"`))
    .map(([name]) => name);
}
