import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as bellwether from '../suts/bellwether.mjs';
import { proof } from '../suts/bellwether-content.mjs';
import * as portkey from '../peers/portkey.mjs';
import { freePort, startNode, stop, until200 } from './children.mjs';
import { cores } from './machine.mjs';
import { chatRequest, expected } from './targets.mjs';

const suts = join(dirname(fileURLToPath(import.meta.url)), '..', 'suts');
const versionOf = (name) =>
  JSON.parse(readFileSync(join(suts, '..', '..', 'node_modules', name, 'package.json'), 'utf8')).version;

const plain = (file, health) => ({
  async start({ upstream, core }) {
    const port = await freePort();
    const child = startNode(join(suts, file), { core, ipc: true, env: { PORT: String(port), UPSTREAM_URL: upstream } });
    await until200(`http://127.0.0.1:${port}${health}`, child);
    return { child, port, makeTargets: async () => ({ chat: {} }) };
  },
});

const known = {
  direct: { info: { name: 'direct' } },
  nodepipe: { info: { name: 'nodepipe', version: process.version }, ...plain('node-pipe.mjs', '/v1/models') },
  'nest-openai': {
    info: { name: 'nest-openai', version: versionOf('openai') },
    ...plain('nest-openai-sdk.mjs', '/health'),
  },
  portkey: { info: portkey.info, start: portkey.start, isMissing: () => !portkey.isInstalled() },
  bellwether: { info: bellwether.info, start: bellwether.start, isMissing: () => !bellwether.isBuilt() },
  before: bellwether.before,
};

export const available = (names = Object.keys(known)) =>
  names.filter((name) => {
    if (!known[name]) throw new Error(`unknown server ${name}; known are ${Object.keys(known).join(', ')}`);
    return !known[name].isMissing?.();
  });

export const infoOf = (name) => known[name].info;

/** One server under test with its targets, or with those of `makeCourse`; `direct` is the mock itself. */
export async function startServer(name, bench, { targets = true, env } = {}) {
  if (name === 'direct') return { name, port: bench.mockPort, pid: null, targets: { chat: {} }, stop: async () => {} };
  const scratch = mkdtempSync(join(tmpdir(), 'bellwether-bench-data-'));
  const { child, port, makeTargets, makeCourse, setRules } = await known[name].start({
    upstream: bench.upstream,
    core: cores.server,
    scratch,
    env,
  });
  const server = {
    name,
    port,
    pid: child.pid,
    targets: {},
    setRules,
    async stop() {
      await stop(child);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
  if (targets) {
    server.targets = await (targets === 'course' ? makeCourse() : makeTargets());
    await prove(server, bench);
  }
  return server;
}

/** The target of the headline rows: for the service a pipeline without I/O of its own, else a plain chat. */
export const headline = (server) => server.targets.chat ?? server.targets.noop;

async function prove(server, bench) {
  for (const [name, target] of Object.entries(server.targets)) {
    if (!['chat', 'noop', 'tools', 'course', 'plain', 'classic'].includes(name)) continue;
    await bench.mock('mode', { keepBody: true });
    await bench.mock('take');
    const request = chatRequest(server.port, target);
    const run = await bench.load('closedLoop', {
      port: server.port,
      request,
      expect: expected,
      connections: 1,
      seconds: 20,
      limit: 1,
    });
    const { lastBody } = await bench.mock('take');
    if (run.count !== 1) throw new Error(`${server.name} (${name}) does not answer: ${run.firstError}`);
    const missing = ['tools', 'course'].includes(name) ? proof.filter((piece) => !lastBody.includes(piece)) : [];
    if (missing.length) throw new Error(`${server.name} (${name}): the prompt lacks ${missing.join(', ')}`);
  }
}

export async function startFleet(names, bench) {
  const servers = [];
  for (const name of names) servers.push(await startServer(name, bench));
  return servers;
}

export async function stopFleet(servers) {
  for (const server of servers) await server.stop();
}
