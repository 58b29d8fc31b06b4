import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE } from './compiled';

const ROOT = join(__dirname, '..', '..');

/** Files of the service, its core, extensions and packages, whose path from the root of the repository fits `pattern`. */
export const sourceFiles = (pattern: RegExp): string[] =>
  SERVICE.filter((top) => top !== 'migrations').flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .map((file) => join(top, file))
      .filter((file) => pattern.test(file)),
  );
