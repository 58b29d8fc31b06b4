// A temporary PostgreSQL server as a child process that can be restarted.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../bench/lib/children.mjs';
import { dist } from '../../bench/lib/built.mjs';

const DEBIAN = '/usr/lib/postgresql';

function programs() {
  const newest = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...newest.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/** PostgreSQL refuses to run as root: there it runs as `postgres` or `nobody`. */
function user() {
  if (process.getuid() !== 0) return {};
  const idOf = (name, kind) => Number(execFileSync('id', [kind, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: idOf(name, '-u'), gid: idOf(name, '-g') };
    } catch {
      // No such user here.
    }
  }
  throw new Error('root needs a user `postgres` or `nobody`');
}

export const isInstalled = () => programs() !== null;

const upgrades = [];

/**
 * `db:migrate` of a build that is newer than the running one: it adds columns to busy tables, in another order than
 * requests lock them, and writes the policies of every table anew.
 */
export async function migrateToNext({ url, query }) {
  const load = createRequire(join(dist, 'main.js'));
  load('reflect-metadata');
  const { migrations } = load('../migrations/index.js');
  const { createDataSource } = load('./infrastructure/postgres/connection/data-source.js');
  const { loginOf, migrate, rowSecurityState } = load('./infrastructure/postgres/index.js');
  const number = upgrades.length;
  const changes = ['users', 'runs', 'members', 'assistants', 'api_keys'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN upgrade_${number} integer NOT NULL DEFAULT 0`,
  );
  upgrades.push(
    class {
      name = `AddUpgrade${9_990_000_000_000 + number}`;
      up = (runner) => runner.query(changes.join(';'));
      down = () => Promise.resolve();
    },
  );
  const policies = await query(
    `SELECT polrelid::regclass::text AS table FROM pg_policy WHERE polname = 'bellwether_organization'`,
  );
  // Row-level security compares this comment with the condition of its build.
  for (const { table } of policies) await query(`COMMENT ON POLICY bellwether_organization ON ${table} IS 'older'`);
  const source = createDataSource({ url, poolSize: 1, migrations: [...migrations, ...upgrades] });
  await source.initialize();
  try {
    const begun = performance.now();
    await migrate(source);
    const { enforced } = await rowSecurityState(source, await loginOf(source));
    if (!enforced) throw new Error('row-level security is off after db:migrate');
    return `${policies.length} tables in ${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  } finally {
    await source.destroy();
  }
}

export async function startPostgres(parent) {
  const bin = programs();
  const as = user();
  const home = join(parent, 'postgres');
  mkdirSync(home);
  if (as.uid !== undefined) chownSync(home, as.uid, as.gid);
  const data = join(home, 'data');
  const options = { cwd: home, stdio: 'ignore', ...as };
  const initdb = ['-D', data, '-U', 'bellwether', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  execFileSync(join(bin, 'initdb'), initdb, options);
  const port = await freePort();
  const url = `postgres://bellwether@127.0.0.1:${port}/postgres`;
  let server = null;

  const query = async (text, values) => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(text, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = async () => {
    // The data does not outlive the test, so nothing waits for the disk. A commit that was told is written, as in service.
    const settings = ['fsync=off', 'full_page_writes=off'].flatMap((each) => ['-c', each]);
    const listen = ['-p', String(port), '-k', home, '-h', '127.0.0.1'];
    server = spawn(join(bin, 'postgres'), ['-D', data, ...listen, ...settings], options);
    while (!(await query('SELECT 1').catch(() => null))) {
      if (server.exitCode !== null) throw new Error('PostgreSQL does not start');
      await sleep(50);
    }
  };
  /** `SIGINT` is a fast shutdown: open transactions are rolled back, connections are cut. */
  const stop = async () => {
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  };
  process.on('exit', () => {
    // An immediate shutdown: nothing waits for the child any more.
    if (server?.exitCode === null) server.kill('SIGQUIT');
  });

  await start();
  return {
    url,
    port,
    query,
    stop: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
    async restart() {
      await stop();
      await start();
    },
    /** Makes the server answer as a standby or a demoted primary does: reads go on, writes are refused. */
    async readOnly(is) {
      await query(`ALTER SYSTEM SET default_transaction_read_only = ${is ? 'on' : 'off'}`);
      await query('SELECT pg_reload_conf()');
    },
    /** Ends all connections of clients. Returns their number. */
    async cut() {
      const rows = await query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`,
      );
      return rows.length;
    },
  };
}
