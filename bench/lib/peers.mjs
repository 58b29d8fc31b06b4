import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..', 'peers');

/** Installs the peers from their own lock, apart from the product's dependencies. */
export function installPeers() {
  console.log('npm ci in bench/peers …');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: home, stdio: 'inherit' });
}
