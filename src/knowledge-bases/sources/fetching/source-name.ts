const LONGEST = 160;

/** Name of the document of an address: host and path, readable for people. No uploaded file has such a name by chance. */
export function documentName(address: string, extension: string): string {
  const { host, pathname, search } = new URL(address);
  const parts = pathname.split('/').filter((part) => part !== '');
  const named = [host, ...parts.map(readable)].join(' › ') + readable(search);
  const stem = named.toLowerCase().endsWith(`.${extension}`) ? named.slice(0, -extension.length - 1) : named;
  const short = stem.length > LONGEST ? `${stem.slice(0, LONGEST).toWellFormed()}…` : stem;
  return `${short}.${extension}`;
}

/** The name with the number that makes it free. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.');
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
  }
}

function readable(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // Stays as it is written in the address.
  }
  return text.replace(/[\p{C}\p{Zl}\p{Zp}/\\]+/gu, ' ').toWellFormed();
}
