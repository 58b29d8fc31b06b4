/**
 * The frontend/backend protocol, version 3 (PostgreSQL manual, chapter "Frontend/Backend Protocol"): a type byte, the
 * length of the rest including itself, the body.
 */

/** Idle, in a transaction, in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E';

export interface FrontendMessage {
  readonly type: string;
  /** The whole message with its header. */
  readonly frame: Buffer;
}

export interface ErrorFields {
  readonly severity: 'ERROR' | 'FATAL';
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export const HEADER = 5;

export function frame(type: string, ...parts: readonly Buffer[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const header = Buffer.alloc(HEADER);
  header.write(type, 0, 'latin1');
  header.writeInt32BE(size + 4, 1);
  return Buffer.concat([header, ...parts]);
}

export const cstring = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf8');

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The string that starts at `offset` and the offset behind its terminator. */
export function readCstring(bytes: Buffer, offset: number): { text: string; end: number } {
  const end = bytes.indexOf(0, offset);
  if (end < 0) throw new ProtocolError('a string without its terminator');
  return { text: bytes.toString('utf8', offset, end), end: end + 1 };
}

export class ProtocolError extends Error {
  readonly code = '08P01';
}

export function errorResponse({ severity, code, message, hint }: ErrorFields): Buffer {
  const fields = [
    `S${severity}`,
    `V${severity}`,
    `C${code}`,
    `M${message}`,
    ...(hint === undefined ? [] : [`H${hint}`]),
  ];
  return frame('E', ...fields.map(cstring), Buffer.alloc(1));
}

export const readyForQuery = (status: TransactionStatus): Buffer => frame('Z', Buffer.from(status, 'latin1'));

export const query = (sql: string): Buffer => frame('Q', cstring(sql));
export const sync: Buffer = frame('S');
export const closeStatement = (name: string): Buffer => frame('C', Buffer.from('S'), cstring(name));
export const copyFail = (reason: string): Buffer => frame('f', cstring(reason));

export interface BackendFrame {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** The messages of a complete answer, without copying it. */
export function* backendFrames(answer: Buffer): Generator<BackendFrame> {
  for (let start = 0; start + HEADER <= answer.length;) {
    const end = start + 1 + answer.readInt32BE(start + 1);
    yield { type: String.fromCharCode(answer[start] ?? 0), start, end };
    start = end;
  }
}

/** SQLSTATE and text of an ErrorResponse. */
export function readError(answer: Buffer, { start, end }: BackendFrame): { code: string; message: string } {
  const found = { code: '', message: '' };
  for (let at = start + HEADER; at < end && answer[at] !== 0;) {
    const field = String.fromCharCode(answer[at] ?? 0);
    const { text, end: next } = readCstring(answer, at + 1);
    if (field === 'C') found.code = text;
    if (field === 'M') found.message = text;
    at = next;
  }
  return found;
}

/** The columns of a DataRow in text format; null for SQL null. */
export function readRow(answer: Buffer, { start }: BackendFrame): (string | null)[] {
  const count = answer.readInt16BE(start + HEADER);
  const columns: (string | null)[] = [];
  for (let at = start + HEADER + 2; columns.length < count;) {
    const size = answer.readInt32BE(at);
    at += 4;
    columns.push(size < 0 ? null : answer.toString('utf8', at, at + size));
    at += Math.max(size, 0);
  }
  return columns;
}
