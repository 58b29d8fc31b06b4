import { randomFillSync } from 'node:crypto';

/** Random bytes are fetched in bulk: one call to the system per 256 ids. */
const pool = Buffer.allocUnsafe(256 * 16);
let used = pool.length;

function random16(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

let lastMs = 0;
let sequence = 0;
const SEQUENCE_MAX = 0xfff;

/** Milliseconds and a 12-bit sequence, together above those of the call before. A full sequence borrows from the next millisecond. */
function moment(): [ms: number, sequence: number] {
  const now = Date.now();
  if (now > lastMs) {
    lastMs = now;
    sequence = 0;
  } else if (sequence === SEQUENCE_MAX) {
    lastMs += 1;
    sequence = 0;
  } else {
    sequence += 1;
  }
  return [lastMs, sequence];
}

/**
 * UUID version 7 (RFC 9562 §5.7): 48 bits of Unix milliseconds, a 12-bit sequence (§6.2, method 1), 62 random bits. Ids of
 * one process sort in the order they were made, also within a millisecond and when the clock is set back.
 */
export function uuidv7(): string {
  const bytes = random16();
  const [ms, step] = moment();
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | step, 6);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
