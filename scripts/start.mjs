// Builds when the sources are newer than the build, then becomes the server (one process: signals reach it).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ENTRY = 'dist/src/main.js';

function newest(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((latest, entry) => Math.max(latest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs), 0);
}

export function build() {
  if (!existsSync('src')) return; // an image ships the build alone
  const sources = Math.max(newest('src'), newest('migrations'), statSync('package-lock.json').mtimeMs);
  if (existsSync(ENTRY) && statSync(ENTRY).mtimeMs >= sources) return;
  console.log('Building …');
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

build();
createRequire(import.meta.url)(join(process.cwd(), ENTRY));
