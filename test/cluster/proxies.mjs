// A relay between the service and the database, which loses answers on request. nginx with the locations that docker/ ships, in front of the replicas; PgBouncer in front of the database.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort, start, stop, until200 } from '../../bench/lib/children.mjs';
import { root } from '../../bench/lib/built.mjs';

const found = (name) => [`/usr/sbin/${name}`, `/usr/bin/${name}`].find((path) => existsSync(path));

export const nginxPath = found('nginx');
export const pgbouncerPath = found('pgbouncer');

export async function startNginx(parent, ports) {
  const folder = join(parent, 'nginx');
  mkdirSync(folder);
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = `
    # One process, so that it ends with its id.
    daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 1024; }
    http {
      access_log off;
      ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
      upstream bellwether {
        ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join('\n        ')}
        keepalive 16;
      }
      upstream keycloak { server 127.0.0.1:9; }
      server { listen 127.0.0.1:${port}; include ${root}/docker/nginx/locations.conf; }
    }`;
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  const child = start(nginxPath, ['-p', folder, '-c', file]);
  const url = `http://127.0.0.1:${port}`;
  await until200(`${url}/health/live`, child);
  return { url, stop: () => stop(child) };
}

/** Statements whose outcome a lost answer leaves open. */
const UNSURE = /COMMIT\0|INSERT INTO limit_reservations|INSERT INTO usage_days|INSERT INTO tool_stats/;
/** ReadyForQuery, the end of every answer; one more byte tells the state of the transaction. */
const READY = 'Z\0\0\0\u0005';

/**
 * Passes everything on to the database. `lose(count)` lets the server carry out the next statements of `UNSURE` and cuts
 * their connections instead of passing the answer on, as a failover does; resolves when that has happened `count` times.
 */
export async function startRelay(databasePort) {
  let left = 0;
  let lost = () => undefined;
  const server = createServer((client) => {
    const upstream = connect(databasePort, '127.0.0.1');
    let isMute = false;
    client.on('data', (chunk) => {
      if (!isMute && left > 0 && UNSURE.test(chunk.toString('latin1'))) {
        isMute = true;
        left -= 1;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (!isMute) return client.write(chunk);
      if (chunk.toString('latin1').slice(-6, -1) !== READY) return;
      client.destroy();
    });
    upstream.on('close', () => {
      if (isMute && left === 0) lost();
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `postgres://bellwether@127.0.0.1:${server.address().port}/postgres`,
    lose: (count) =>
      new Promise((resolve) => {
        lost = resolve;
        left = count;
      }),
    stop: () => server.close(),
  };
}

/** PgBouncer in transaction mode, with fewer connections to the server than its clients have. */
export async function startPgbouncer(parent, databasePort) {
  const folder = join(parent, 'pgbouncer');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const configuration = `[databases]
* = host=127.0.0.1 port=${databasePort} user=bellwether
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout
`;
  writeFileSync(file, configuration);
  // It refuses to run as root.
  const child = start(pgbouncerPath, ['-q', ...(process.getuid() === 0 ? ['-u', 'nobody'] : []), file]);
  const url = `postgres://bellwether@127.0.0.1:${port}/postgres`;
  while (!(await answers(url))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${child.output()}`);
    await sleep(50);
  }
  return { url, stop: () => stop(child) };
}

async function answers(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
