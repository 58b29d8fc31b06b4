// Parts of the service that benchmarks take from its build, by the source file that holds them. A file or name that is not
// in the source fails `test/contract/benchmarks.spec.ts`.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The build to measure; another checkout's `dist/src` compares two revisions on one machine. */
export const dist = resolve(process.env.BENCH_DIST ?? join(root, 'dist', 'src'));

const require = createRequire(import.meta.url);

/** `built('src/runs/run')`: what `src/runs/run.ts` exports. */
export function built(path) {
  const file = join(dist, '..', `${path}.js`);
  if (!existsSync(file)) throw new Error(`${file} is not there: npm run build`);
  require('reflect-metadata');
  return require(file);
}
