/** Versions of the format; a reader refuses any other. The first one has no `log`. */
const RECEIPT_FORMATS: readonly string[] = ['bellwether-receipt/1', 'bellwether-receipt/2'];
export const RECEIPT_FORMAT = 'bellwether-receipt/2';

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
  /** Place of the run in the sealed log; absent in format 1. */
  readonly log?: ReceiptLog;
}

/** The line of a run among the lines that were sealed together. Digests are SHA-256, base64url. */
export interface ReceiptLog {
  /** Digest of the stored line. */
  readonly line: string;
  /** From 0. */
  readonly position: number;
  /** Digests that lead from the line to the root of the Merkle tree. */
  readonly path: readonly string[];
  readonly seal: SignedSeal;
}

/** Statement about the runs that ended together, under one signature. */
export interface Seal {
  /** The writer. */
  readonly chain: string;
  /** Counts the seals of one organization in the chain, from 0. */
  readonly number: number;
  readonly root: string;
  /** Root of the seal before; null for the first one of the organization. */
  readonly previous_root: string | null;
  /** Number of lines. */
  readonly count: number;
  /** ISO 8601 UTC. */
  readonly sealed_at: string;
}

export interface SignedSeal extends Seal {
  /** Ed25519 over the canonical JSON of the other members without `key_id`, base64url. */
  readonly signature: string;
  readonly key_id: string;
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

export const RECEIPT_FAULTS = [
  'malformed',
  'unknown_key',
  'signature',
  'part_changed',
  'part_unknown',
  'seal',
] as const;
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

/** The signed text of a seal. */
export const sealText = ({ chain, number, root, previous_root, count, sealed_at }: Seal): string =>
  canonicalJson({ chain, number, root, previous_root, count, sealed_at });

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
  if (receipt.log !== undefined && !(await isInLog(receipt.log, keys))) return { valid: false, reason: 'seal' };
  return { valid: true };
}

async function isInLog({ line, position, path, seal }: ReceiptLog, keys: readonly ReceiptKey[]): Promise<boolean> {
  if ((await rootFrom(line, { position, count: seal.count, path })) !== seal.root) return false;
  return isSealSigned(seal, keys);
}

/** False as well for a seal of an unknown key. */
export async function isSealSigned(seal: SignedSeal, keys: readonly ReceiptKey[]): Promise<boolean> {
  const key = keys.find(({ kid }) => kid === seal.key_id);
  return key !== undefined && (await isSigned(sealText(seal), seal.signature, key));
}

interface Climb {
  readonly position: number;
  readonly count: number;
  readonly path: readonly string[];
}

/**
 * The root that a path leads to; null for a path of another length. A node is the SHA-256 of the byte 1 and the digests
 * of its two children; the last node of a level without a neighbour rises unchanged.
 */
async function rootFrom(leaf: string, { position, count, path }: Climb): Promise<string | null> {
  if (position >= count) return null;
  let digest = leaf;
  let used = 0;
  let at = position;
  for (let width = count; width > 1; width = Math.ceil(width / 2)) {
    const isAlone = at % 2 === 0 && at === width - 1;
    const neighbour = isAlone ? undefined : path[used++];
    if (!isAlone) {
      if (neighbour === undefined) return null;
      digest = await nodeOf(...(at % 2 === 0 ? ([digest, neighbour] as const) : ([neighbour, digest] as const)));
    }
    at = Math.floor(at / 2);
  }
  return used === path.length ? digest : null;
}

async function nodeOf(left: string, right: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', nodeBytes(bytesOf(left), bytesOf(right)));
  return base64url(new Uint8Array(digest));
}

/** The bytes whose SHA-256 is a node. Lines begin with `{`, so no line is taken for a node. */
export function nodeBytes(left: Uint8Array | null, right: Uint8Array | null): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + 2 * DIGEST_BYTES);
  bytes[0] = 1;
  bytes.set((left ?? NO_DIGEST).subarray(0, DIGEST_BYTES), 1);
  bytes.set((right ?? NO_DIGEST).subarray(0, DIGEST_BYTES), 1 + DIGEST_BYTES);
  return bytes;
}

const DIGEST_BYTES = 32;
const NO_DIGEST = new Uint8Array(DIGEST_BYTES);

async function isSigned(text: string, signature: string, { kty, crv, x }: ReceiptKey): Promise<boolean> {
  const bytes = bytesOf(signature);
  if (bytes === null) return false;
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('jwk', { kty, crv, x }, { name: 'Ed25519' }, false, ['verify']);
  return subtle.verify({ name: 'Ed25519' }, key, bytes, new TextEncoder().encode(text));
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return base64url(new Uint8Array(digest));
}

function base64url(bytes: Uint8Array): string {
  const chars = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
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
const MEMBERS: readonly string[] = ['format', 'run_id', 'issued_at', 'issuer', 'digests', 'parts', 'log'];
const LOG_MEMBERS: readonly string[] = ['line', 'position', 'path', 'seal'];
const SEAL_MEMBERS: readonly string[] = [
  ...['chain', 'number', 'root', 'previous_root', 'count', 'sealed_at', 'signature', 'key_id'],
];
/** More lines than any segment holds. */
const MOST_LINES = 1_000_000;

function isSignedReceipt(given: unknown): given is SignedReceipt {
  if (!isObject(given)) return false;
  const { receipt, signature, key_id: kid } = given;
  if (typeof signature !== 'string' || typeof kid !== 'string' || !isObject(receipt)) return false;
  const { format, digests, parts, log } = receipt;
  if (!RECEIPT_FORMATS.includes(String(format)) || !isObject(digests) || !isObject(parts)) return false;
  if (format === RECEIPT_FORMAT ? !isLog(log) : log !== undefined) return false;
  return Object.keys(receipt).every((name) => MEMBERS.includes(name)) && Object.values(parts).every(isPart);
}

const isCount = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_LINES;

function isLog(log: unknown): boolean {
  if (!isObject(log) || !Object.keys(log).every((name) => LOG_MEMBERS.includes(name))) return false;
  const { line, position, path, seal } = log;
  if (typeof line !== 'string' || !isCount(position) || !Array.isArray(path)) return false;
  return path.every((digest) => typeof digest === 'string') && isSeal(seal);
}

function isSeal(seal: unknown): boolean {
  if (!isObject(seal) || !Object.keys(seal).every((name) => SEAL_MEMBERS.includes(name))) return false;
  return typeof seal['signature'] === 'string' && typeof seal['root'] === 'string' && isCount(seal['count']);
}

const isPart = (part: unknown): boolean =>
  isObject(part) && typeof part['salt'] === 'string' && 'value' in part && Object.keys(part).length === 2;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
