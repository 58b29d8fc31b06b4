import { isUtf8 } from 'node:buffer';
import { ExtractionError } from './extraction.errors';

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Windows-1252 where it differs from Latin-1 (0x80–0x9F), with spaces for the five undefined bytes. Node's decoder gives control characters for these. */
const WINDOWS_1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const UNDEFINED_1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

/** Largest share of non-ASCII bytes in Latin text. Other alphabets and binary data have more. */
const MOST_HIGH_BYTES = 0.2;

const isTextControl = (byte: number): boolean => byte === 9 || byte === 10 || byte === 12 || byte === 13;

function isNoText(byte: number): boolean {
  if (byte >= 0x80) return UNDEFINED_1252.has(byte);
  return (byte < 0x20 && !isTextControl(byte)) || byte === 0x7f;
}

const NO_TEXT = Uint8Array.from({ length: 256 }, (_, byte) => Number(isNoText(byte)));

/** Mostly ASCII, and no control or undefined bytes. Uses a table, because it runs on the event loop. */
function looksLikeWindows1252(bytes: Buffer): boolean {
  let high = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (NO_TEXT[byte] === 1) return false;
    high += byte >> 7;
  }
  return high <= MOST_HIGH_BYTES * bytes.length;
}

/** Encoding by byte order mark, else UTF-8, else Windows-1252. Null for binary data. */
export function detectEncoding(bytes: Buffer): TextEncoding | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.length % 2 === 0 ? 'utf-16le' : null;
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return bytes.length % 2 === 0 ? 'utf-16be' : null;
  if (isUtf8(bytes)) return bytes.includes(0) ? null : 'utf-8';
  return looksLikeWindows1252(bytes) ? 'windows-1252' : null;
}

const decodeWindows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\u0080-\u009f]/g, (unit) => WINDOWS_1252.charAt(unit.charCodeAt(0) - 0x80));

/** Drops the byte order mark. @throws {ExtractionError} `document.encoding` */
export function decodeAs(bytes: Buffer, encoding: TextEncoding): string {
  if (encoding === 'windows-1252') return decodeWindows1252(bytes);
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // An incomplete character or unpaired surrogate.
  }
  throw new ExtractionError('document.encoding', 'The text ends inside a character or contains binary data');
}
