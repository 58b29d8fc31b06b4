import { isUtf8 } from 'node:buffer';

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** `Content-Disposition` for a download (RFC 6266), with an ASCII fallback name. */
export function attachment(path: string): string {
  // RFC 6266 §4.3: the file name must not contain a path of any system.
  const last = path.split(/[/\\]/).at(-1) ?? '';
  const name = /^\.*$/.test(last) ? 'file' : last.toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_');
  // RFC 8187: encodeURIComponent does not encode all characters that an ext-value must not contain.
  const encoded = encodeURIComponent(name).replace(/['()*]/g, percent);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Types that browsers show without running anything of them in the origin of the service. */
const SHOWN = /^(?:application\/pdf|text\/plain)(?:;|$)/;
/** Texts that browsers would download under their own type. */
const TEXT = /^text\/(?:markdown|csv)(?=;|$)/;

/** Headers of a file that a reader opens: safe types are shown, texts as plain text; all others are downloads. */
export function shownOrAttached(path: string, contentType: string, bytes: Uint8Array): Record<string, string> {
  const type = contentType.replace(TEXT, 'text/plain');
  if (!SHOWN.test(type)) return { 'Content-Type': type, 'Content-Disposition': attachment(path) };
  const isBareText = type === 'text/plain' && isUtf8(bytes);
  return {
    'Content-Type': isBareText ? 'text/plain; charset=utf-8' : type,
    'Content-Disposition': attachment(path).replace(/^attachment/, 'inline'),
  };
}
