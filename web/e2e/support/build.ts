import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The tests drive what `npm start` would: both builds, made when they are missing or stale. */
export default function build(): void {
  const root = join(import.meta.dirname, '../../..');
  const code = "const m = await import('./scripts/build-if-stale.mjs'); await m.buildIfStale();";
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The build failed');
}
