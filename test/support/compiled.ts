import { transformFileSync } from '@swc/core';
import { cpSync, mkdirSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compilerOptions } from '../../tsconfig.json';

const ROOT = join(__dirname, '..', '..');

/** Inside node_modules, so that the compiled files find the packages they require. */
const OUT = join(ROOT, 'node_modules', '.cache', 'bellwether-compiled');

const PACKAGES = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/src`);

/** All that the build compiles. */
export const SERVICE = ['src', 'extensions', ...PACKAGES, 'migrations'];

const FOLDERS = [
  ...PACKAGES,
  'src/infrastructure/config',
  'src/infrastructure/languages',
  'src/infrastructure/postgres',
  'src/auth/imported-passwords',
  'migrations',
];

/**
 * Compiles what tests run in a process or thread of its own, where jest compiles nothing. Returns the folder that
 * mirrors the repository.
 */
export function compile(folders: readonly string[] = FOLDERS): string {
  for (const folder of folders) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (file.endsWith('.ts') && !file.endsWith('.spec.ts')) compileFile(join(folder, file));
      // The build copies it, too (nest-cli.json).
      else if (file.endsWith('.zip')) cpSync(join(ROOT, folder, file), join(OUT, folder, file));
    }
  }
  return OUT;
}

export const compiledFile = (path: string): string => join(OUT, path);

function compileFile(path: string): void {
  const source = join(ROOT, path);
  const target = join(OUT, path.replace(/\.ts$/, '.js'));
  // A copy has the time of its source, so that a source of an older day counts as another one, too.
  const { atime, mtime } = statSync(source);
  if (statSync(target, { throwIfNoEntry: false })?.mtime.getTime() === mtime.getTime()) return;
  const { code } = transformFileSync(source, {
    swcrc: false,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
      baseUrl: ROOT,
      paths: compilerOptions.paths,
    },
    // Packages that can only be imported stay imported, and files name their exports for such imports.
    module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
  });
  mkdirSync(dirname(target), { recursive: true });
  // Another worker may compile the same file, and its child may read it meanwhile.
  const written = `${target}.${process.pid}`;
  writeFileSync(written, code);
  utimesSync(written, atime, mtime);
  renameSync(written, target);
}
