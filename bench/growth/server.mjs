// A temporary PostgreSQL server for one run of the bench, from the installed programs. Its folder is removed afterwards.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../lib/children.mjs';

const DEBIAN = '/usr/lib/postgresql';
/** Nothing in it outlives the bench, so no statement waits for the disk. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'shared_buffers=512MB'];

function programs() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const found = versions.map((version) => join(DEBIAN, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  const path = (process.env.PATH ?? '').split(':').find((bin) => existsSync(join(bin, 'initdb')));
  if (found ?? path) return found ?? path;
  console.error('no PostgreSQL server here: install one, or set BENCH_DATABASE_URL to an empty database');
  process.exit(2);
}

/** Resolves with the URL of an empty database and the way to end the server. */
export async function startPostgres() {
  const bin = programs();
  const home = mkdtempSync(join(tmpdir(), 'bellwether-growth-'));
  const port = await freePort();
  // A server refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  if (isRoot) chownSync(home, id('-u'), id('-g'));
  const run = (program, ...args) => {
    const [file, ...rest] = [...(isRoot ? ['runuser', '-u', 'postgres', '--'] : []), join(bin, program), ...args];
    execFileSync(file, rest, { cwd: home, stdio: 'ignore' });
  };
  const data = join(home, 'data');
  const options = [`-p ${port} -k ${home} -h 127.0.0.1`, ...SETTINGS.map((setting) => `-c ${setting}`)].join(' ');
  run('initdb', '-D', data, '-U', 'bellwether', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8');
  run('pg_ctl', '-D', data, '-l', join(home, 'log'), '-w', 'start', '-o', options);
  const stop = () => {
    run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
    rmSync(home, { recursive: true, force: true });
  };
  return { url: `postgres://bellwether@127.0.0.1:${port}/postgres`, stop };
}
