import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Files of the service, its core and its extensions, whose path from the root of the repository fits `pattern`. */
export const sourceFiles = (pattern: RegExp): string[] =>
  ['src', 'extensions'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .map((file) => join(top, file))
      .filter((file) => pattern.test(file)),
  );
