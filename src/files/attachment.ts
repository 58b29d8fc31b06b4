const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

/** `Content-Disposition` that always downloads and never displays (RFC 6266); the plain name is a fallback in ASCII. */
export function attachment(path: string): string {
  // RFC 6266 §4.3: no path, of whatever system, reaches the one that saves.
  const last = path.split(/[/\\]/).at(-1) ?? '';
  const name = /^\.*$/.test(last) ? 'file' : last.toWellFormed();
  const ascii = name.replace(/[^\x20-\x7e]|["\\%;]/g, '_');
  // RFC 8187: encodeURIComponent leaves four characters bare that an ext-value may not hold.
  const encoded = encodeURIComponent(name).replace(/['()*]/g, percent);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
