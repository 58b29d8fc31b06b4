/** Version of the format; a reader refuses any other. */
export const RECEIPT_FORMAT = 'bellwether-receipt/1';

/** The parts of a receipt. Each reader sees some of them. */
export const RECEIPT_PARTS = [
  'run',
  'asker',
  'question',
  'assistant',
  'settings',
  'model',
  'parameters',
  'prompt',
  'tools',
  'functions',
  'passages',
  'checks',
  'answer',
  'usage',
  'cost',
  'replay',
] as const;
export type ReceiptPartName = (typeof RECEIPT_PARTS)[number];

/** The salt keeps a reader from guessing the value behind the digest of a part that is not shown. */
export interface ReceiptPart {
  /** 128 random bits, base64url. */
  readonly salt: string;
  readonly value: unknown;
}

export interface Receipt {
  readonly format: string;
  readonly run_id: string;
  /** ISO 8601 UTC. */
  readonly issued_at: string;
  /** Address of the service; null when it does not know its own. */
  readonly issuer: string | null;
  /**
   * Digests by part: SHA-256 of the canonical JSON of `[salt, name, value]`, base64url. The signature covers them all.
   */
  readonly digests: Readonly<Record<string, string>>;
  /** The parts that this reader sees. */
  readonly parts: Readonly<Record<string, ReceiptPart>>;
}

export interface SignedReceipt {
  readonly receipt: Receipt;
  /** Ed25519 over the canonical JSON of the receipt without `parts`, base64url. */
  readonly signature: string;
  readonly key_id: string;
}

/** Public key (RFC 8037). */
export interface ReceiptKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

export const RECEIPT_FAULTS = ['malformed', 'unknown_key', 'signature', 'part_changed', 'part_unknown'] as const;
export type ReceiptFault = (typeof RECEIPT_FAULTS)[number];

export type ReceiptCheck =
  { readonly valid: true } | { readonly valid: false; readonly reason: ReceiptFault; readonly part?: string };

/**
 * JSON in one spelling (RFC 8785, JSON Canonicalization Scheme): members by name, numbers and texts as ECMAScript writes
 * them. Absent members are left out. Lone surrogates, which the RFC refuses, are escaped.
 * @throws RangeError for a number that JSON cannot hold
 */
export function canonicalJson(value: unknown): string {
  // Joined once: a text would be copied again on each level around it.
  const pieces: string[] = [];
  write(value, pieces);
  return pieces.join('');
}

function write(value: unknown, pieces: string[]): void {
  if (Array.isArray(value)) writeArray(value, pieces);
  else if (typeof value === 'object' && value !== null) writeObject(value, pieces);
  else if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('JSON holds finite numbers only');
  else pieces.push(JSON.stringify(value ?? null));
}

function writeArray(value: readonly unknown[], pieces: string[]): void {
  pieces.push('[');
  for (const [index, item] of value.entries()) {
    if (index > 0) pieces.push(',');
    write(item, pieces);
  }
  pieces.push(']');
}

function writeObject(value: object, pieces: string[]): void {
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  let before = '{';
  for (const [name, member] of members) {
    pieces.push(before, JSON.stringify(name), ':');
    write(member, pieces);
    before = ',';
  }
  pieces.push(members.length === 0 ? '{}' : '}');
}

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
