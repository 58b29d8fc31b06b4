import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const BUILT = 'dist/src/main.js';
const INPUTS = ['src', 'migrations'];

const newestIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs), 0);

/** Builds when a source is newer than the build; an image that ships the build alone has nothing to do. */
export function buildIfStale() {
  if (!existsSync('src')) return;
  const newest = Math.max(...INPUTS.map(newestIn), statSync('package-lock.json').mtimeMs);
  if (existsSync(BUILT) && statSync(BUILT).mtimeMs >= newest) return;
  process.stderr.write('Building …\n');
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
