// What a newcomer does: `npm start` on an empty data directory, the printed curl, `npm run demo`, Ctrl-C.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 90_000;

function must(condition, message) {
  if (!condition) throw new Error(message);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

async function whenReady(url, child) {
  const started = Date.now();
  for (;;) {
    must(child.exitCode === null, 'npm start ended early');
    must(Date.now() - started < DEADLINE_MS, 'not ready in time');
    const ready = await fetch(`${url}/health/ready`).catch(() => null);
    if (ready?.ok) return Date.now() - started;
    await sleep(100);
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'bellwether-first-start-'));
const port = await freePort();
const env = { ...process.env, DATA_DIR: dataDir, PORT: String(port) };
const child = spawn(process.execPath, ['scripts/start.mjs'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
let printed = '';
child.stdout.on('data', (data) => (printed += data));
try {
  console.log(`ready after ${await whenReady(`http://127.0.0.1:${port}`, child)} ms`);
  const keyFile = join(dataDir, 'admin-key');
  must((statSync(keyFile).mode & 0o777) === 0o600, 'the key file is readable by others');
  must(!printed.includes(readFileSync(keyFile, 'utf8').trim()), 'the console shows the key');
  const curl = /curl -sN [^]*?\}'/.exec(printed)?.[0];
  must(curl, 'no curl was printed');
  const asked = spawnSync('bash', ['-c', curl], { encoding: 'utf8' });
  must(asked.stdout.trimEnd().endsWith('data: [DONE]'), `the printed curl answered ${asked.stdout.slice(-200)}`);
  const demo = spawnSync('npm', ['run', '-s', 'demo'], { env, encoding: 'utf8' });
  must(demo.status === 0 && demo.stdout.includes('✅ Tool completed: rubric_rag'), `npm run demo: ${demo.stderr}`);
  child.kill('SIGTERM');
  const [code] = await new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
  must(code === 0, `stopped with ${code}`);
  console.log('the printed curl, npm run demo and SIGTERM do what they should');
} finally {
  child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}
