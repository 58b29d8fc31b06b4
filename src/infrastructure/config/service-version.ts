import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the package of this build, wherever the build lies below it; `unknown` without one. */
export function serviceVersion(from = __dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = versionIn(folder);
    if (found !== null) return found;
    if (folder === dirname(folder)) return 'unknown';
  }
}

function versionIn(folder: string): string | null {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name?: unknown;
      version?: unknown;
    };
    return name === 'bellwether' && typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
