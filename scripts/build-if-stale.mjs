import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Each half of the product: what it is built from, and the file that its build writes last. */
const HALVES = [
  {
    name: 'service',
    inputs: ['src', 'extensions', 'packages', 'migrations', 'nest-cli.json'],
    built: 'dist/src/main.js',
  },
  {
    name: 'web',
    inputs: [
      'web/src',
      'web/static',
      'web/package.json',
      'web/tsconfig.json',
      'web/vite.config.ts',
      'web/icons.plugin.ts',
      'web/messages.plugin.ts',
      'web/help.plugin.ts',
      'docs/guide',
      'docs/reference',
      'docs/images',
      // Shared with the service.
      'packages/kernel/src',
      'src/rubrics',
    ],
    built: 'web/build/index.html',
  },
];

/** Written by the build from another input. */
const GENERATED = ['web/src/lib/kit/api/schema.d.ts'];

const filesIn = (path) =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));

const newest = (paths) =>
  paths
    .filter((path) => existsSync(path))
    .flatMap(filesIn)
    .filter((file) => !GENERATED.includes(file))
    .reduce((latest, file) => Math.max(latest, statSync(file).mtimeMs), 0);

const isStale = ({ inputs, built }) =>
  !existsSync(built) || statSync(built).mtimeMs < newest([...inputs, 'package-lock.json']);

/**
 * Builds what is older than its sources; an image that ships the builds alone has nothing to do. Commands need the service
 * only: `buildIfStale(['service'])`.
 */
export function buildIfStale(wanted = ['service', 'web']) {
  if (!existsSync('src')) return;
  const stale = HALVES.filter((half) => wanted.includes(half.name) && isStale(half)).map(({ name }) => name);
  if (stale.length === 0) return;
  process.stderr.write(`Building ${stale.join(' and ')} …\n`);
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs', ...stale], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
