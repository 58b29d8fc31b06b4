// node bench/core.mjs [--page | --check]: starts the service with every extension and with none, and writes the table of both into
// docs/guide/small-build.md. --page: writes the page from the last run. --check: exit code 1 when it shows something else.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { root } from './lib/built.mjs';
import { freePort, startNode, stop, until200 } from './lib/children.mjs';
import { describeMachine, LOAD_LIMIT } from './lib/machine.mjs';
import { cpuMs, rssKb } from './lib/meter.mjs';
import { figure, plainTable } from './lib/report.mjs';
import { environment, isBuilt, main } from './suts/bellwether.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const KEPT = join(here, 'results', 'core.json');
const PAGE = join(root, 'docs/guide/small-build.md');
const MARKED = /(<!-- core -->)[^]*(<!-- \/core -->)/;
const BUILDS = { full: 'all', core: 'none' };
const IDLE_MS = 5_000;
const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options'];

/** One start on an existing database, until the process is idle. */
async function start(extensions, dataDir) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const loadedFile = join(dataDir, 'loaded.json');
  const child = startNode(main, {
    cwd: root,
    env: {
      ...environment({ port, dataDir, upstream: 'http://127.0.0.1:9', databaseUrl: null }),
      BELLWETHER_EXTENSIONS: extensions,
      NODE_OPTIONS: `--require ${join(here, 'lib', 'loaded.cjs')}`,
      BENCH_LOADED: loadedFile,
    },
  });
  try {
    const readyMs = await until200(`${url}/health/ready`, child, { limitMs: 180_000 });
    const startCpuMs = cpuMs(child.pid);
    const text = await (await fetch(`${url}/api/openapi.json`)).text();
    const { paths } = JSON.parse(text);
    const operations = Object.values(paths).flatMap((path) => Object.keys(path).filter((key) => METHODS.includes(key)));
    await sleep(IDLE_MS);
    const memoryMb = rssKb(child.pid) / 1024;
    await stop(child, 30_000);
    const { files, kilobytes } = JSON.parse(readFileSync(loadedFile, 'utf8'));
    return {
      operations: operations.length,
      documentKb: Buffer.byteLength(text) / 1e3,
      files,
      codeKb: kilobytes,
      startCpuS: startCpuMs / 1e3,
      startS: readyMs / 1e3,
      memoryMb,
    };
  } finally {
    await stop(child);
  }
}

/** Bytes of all files below a folder; links are not followed. */
function sizeOf(path) {
  if (!existsSync(path)) return 0;
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** The content of a container: the packages of production, the build and the pages. */
function installMb() {
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 << 20,
  });
  const packages = [...new Set(listed.trim().split('\n'))].filter((path) => path.includes('node_modules'));
  const outermost = packages.filter((path) => !packages.some((other) => path.startsWith(`${other}/`)));
  const bytes = [...outermost, join(root, 'dist'), join(root, 'web/build')].map(sizeOf);
  return bytes.reduce((sum, each) => sum + each, 0) / 1e6;
}

function tableOf({ machine, install, builds }) {
  const { full, core } = builds;
  const row = (label, key, unit = '') => [label, ...[full, core].map((build) => `${figure(build[key])}${unit}`)];
  const table = plainTable(
    ['', 'every extension', 'the core alone'],
    [
      row('operations of the OpenAPI document', 'operations'),
      row('size of that document', 'documentKb', ' kB'),
      row('files of the service that are loaded', 'files'),
      row('code in them', 'codeKb', ' kB'),
      row('CPU of a start, on an existing database', 'startCpuS', ' s'),
      // Wall time says nothing on a busy machine.
      ...(machine.loadAtStart > LOAD_LIMIT ? [] : [row('time until it is ready', 'startS', ' s')]),
      row('memory, idle', 'memoryMb', ' MB'),
    ],
  );
  const day = machine.date.slice(0, 10);
  const facts = `Measured ${day} at commit ${machine.commit} on ${machine.cpu}, Node ${machine.node}, embedded database, load ${machine.loadAtStart}: one start of each, after one that made the database. Memory and CPU are mostly those of the embedded database. An installation has ${figure(install)} MB either way (packages of production, build and web UI), because an extension that is off is not loaded, and not removed.`;
  return `${table}\n\n${facts}`;
}

async function written() {
  const text = readFileSync(PAGE, 'utf8');
  const record = JSON.parse(readFileSync(KEPT, 'utf8'));
  const filled = text.replace(MARKED, (_, begin, end) => `${begin}\n\n${tableOf(record)}\n\n${end}`);
  const prettier = await import('prettier');
  return prettier.format(filled, { ...(await prettier.resolveConfig(PAGE)), parser: 'markdown' });
}

async function measure() {
  if (!isBuilt()) throw new Error('not built: npm run build');
  const machine = describeMachine();
  const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-bench-core-'));
  try {
    await start('all', dataDir);
    const builds = {};
    for (const [name, extensions] of Object.entries(BUILDS)) builds[name] = await start(extensions, dataDir);
    const record = { machine, install: installMb(), builds };
    const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);
    writeFileSync(KEPT, `${JSON.stringify(record, rounded, 1)}\n`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (process.argv.includes('--check')) {
  const isShown = (await written()) === readFileSync(PAGE, 'utf8');
  if (!isShown) console.error('docs/guide/small-build.md does not show what was measured: node bench/core.mjs');
  process.exit(isShown ? 0 : 1);
}
if (!process.argv.includes('--page')) await measure();
const text = await written();
writeFileSync(PAGE, text);
console.log(MARKED.exec(text)[0]);
