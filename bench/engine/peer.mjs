import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', 'peers');
const manifestOf = (name) => join(home, 'node_modules', name, 'package.json');
const resolver = createRequire(join(home, 'package.json'));

/** A module of a peer, from its own folder. */
export const peer = (specifier) => import(pathToFileURL(resolver.resolve(specifier)).href);

export const versionOf = (name) =>
  existsSync(manifestOf(name)) ? JSON.parse(readFileSync(manifestOf(name), 'utf8')).version : null;
