/** The text of uploaded bytes, or why they are not text. */
export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: 'empty' | 'binary' | 'not_utf8' };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Strict UTF-8 without its byte order mark. NUL bytes mean binary data; invalid bytes are rejected, not replaced. */
export function decodeText(bytes: Buffer): DecodedText {
  return decoded(bytes, () => UTF8.decode(bytes));
}

/** Decodes the first bytes of a text and drops an incomplete last character. */
export function decodeStart(bytes: Buffer): DecodedText {
  return decoded(bytes, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }));
}

function decoded(bytes: Buffer, decode: () => string): DecodedText {
  if (bytes.length === 0) return { ok: false, reason: 'empty' };
  if (bytes.includes(0)) return { ok: false, reason: 'binary' };
  try {
    return { ok: true, text: decode() };
  } catch {
    return { ok: false, reason: 'not_utf8' };
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** At most `maxChars` UTF-16 code units from the start, never half a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = isHighSurrogate(text.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return text.slice(0, end);
}

const MAGIC: readonly (readonly [type: string, start: string])[] = [
  ['application/pdf', '255044462d'],
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['application/zip', '504b0304'],
];

/** Media type by content, not by the client's header. HTML and scripts count as plain text. */
export function sniffType(bytes: Buffer, name: string): string {
  const start = bytes.subarray(0, 12).toString('hex');
  const magic = MAGIC.find(([, prefix]) => start.startsWith(prefix));
  if (magic !== undefined) return magic[0];
  if (start.startsWith('52494646') && start.endsWith('57454250')) return 'image/webp';
  if (!decodeText(bytes).ok) return 'application/octet-stream';
  return /\.(md|markdown)$/i.test(name) ? 'text/markdown' : 'text/plain';
}
