import { canonicalJson } from './canonical-json';
import {
  type Receipt,
  RECEIPT_FORMAT,
  type ReceiptCheck,
  type ReceiptKey,
  type ReceiptPart,
  type SignedReceipt,
} from './receipt.types';

/** The signed text. */
export function signedText({ parts: _parts, ...signed }: Receipt): string {
  return canonicalJson(signed);
}

/** The text whose SHA-256 is the digest of a part. */
export const partText = (name: string, { salt, value }: ReceiptPart): string => canonicalJson([salt, name, value]);

/** Runs in Node and in a browser (Web Crypto), without any request. */
export async function checkReceipt(given: unknown, keys: readonly ReceiptKey[]): Promise<ReceiptCheck> {
  if (!isSignedReceipt(given)) return MALFORMED;
  try {
    return await checkSigned(given, keys);
  } catch (error) {
    // `1e999`, or nested deeper than the stack: nothing that was signed.
    if (error instanceof RangeError) return MALFORMED;
    throw error;
  }
}

const MALFORMED: ReceiptCheck = { valid: false, reason: 'malformed' };

async function checkSigned(given: SignedReceipt, keys: readonly ReceiptKey[]): Promise<ReceiptCheck> {
  const { receipt, signature, key_id: kid } = given;
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return { valid: false, reason: 'unknown_key' };
  if (!(await isSigned(signedText(receipt), signature, key))) return { valid: false, reason: 'signature' };
  for (const [name, part] of Object.entries(receipt.parts)) {
    if (!Object.hasOwn(receipt.digests, name)) return { valid: false, reason: 'part_unknown', part: name };
    if ((await sha256(partText(name, part))) !== receipt.digests[name])
      return { valid: false, reason: 'part_changed', part: name };
  }
  return { valid: true };
}

async function isSigned(text: string, signature: string, { kty, crv, x }: ReceiptKey): Promise<boolean> {
  const bytes = bytesOf(signature);
  if (bytes === null) return false;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('jwk', { kty, crv, x }, { name: 'Ed25519' }, false, ['verify']);
  return subtle.verify({ name: 'Ed25519' }, key, bytes, new TextEncoder().encode(text));
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const chars = Array.from(new Uint8Array(digest), (byte) => String.fromCharCode(byte)).join('');
  return btoa(chars).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null for anything but base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]{1,200}$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** A receipt with other members is refused: they are not signed, but would look so. */
const MEMBERS: readonly string[] = ['format', 'run_id', 'issued_at', 'issuer', 'digests', 'parts'];

function isSignedReceipt(given: unknown): given is SignedReceipt {
  if (!isObject(given)) return false;
  const { receipt, signature, key_id: kid } = given;
  if (typeof signature !== 'string' || typeof kid !== 'string' || !isObject(receipt)) return false;
  const { format, digests, parts } = receipt;
  if (format !== RECEIPT_FORMAT || !isObject(digests) || !isObject(parts)) return false;
  return Object.keys(receipt).every((name) => MEMBERS.includes(name)) && Object.values(parts).every(isPart);
}

const isPart = (part: unknown): boolean =>
  isObject(part) && typeof part['salt'] === 'string' && 'value' in part && Object.keys(part).length === 2;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
