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
const SHOWN = /^(application\/pdf|text\/plain)(;|$)/;

/** `Content-Disposition` for a file that a reader opens: safe types are shown, all others are downloads. */
export const shownOrAttached = (path: string, contentType: string): string =>
  SHOWN.test(contentType) ? attachment(path).replace(/^attachment/, 'inline') : attachment(path);
