// A newcomer's first steps: `npm start` on an empty data directory, the printed link and curl, the README's question, Ctrl-C.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** It builds the service and the web UI first. */
const DEADLINE_MS = 420_000;

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

/** The printed address signs in, once, and leads to the page. */
async function openLink(printed, url) {
  const [link] = /http:\S+\/sign-in\/[\w-]{43}/.exec(printed) ?? [];
  must(link, 'no sign-in address was printed');
  const answer = await fetch(link, { redirect: 'manual' });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  must(answer.status === 303 && answer.headers.get('location') === '/', `the link answered ${answer.status}`);
  const me = await (await fetch(`${url}/api/v1/me`, { headers: { cookie } })).json();
  must(me.system_admin === true && me.credential.kind === 'session', 'the link opened no session');
  const again = await fetch(link, { redirect: 'manual' });
  must(again.headers.get('location') === '/sign-in?problem=link', 'the link works twice');
  const page = await fetch(url, { headers: { accept: 'text/html' } });
  const html = await page.text();
  const script = /\/_app\/immutable\/entry\/start\.[\w-]+\.js/.exec(html)?.[0];
  must(page.status === 200 && script, 'there is no page');
  must((await fetch(url + script)).status === 200, 'the page has no script');
}

/** Whoever changes a route writes the document anew: `npm run openapi:write`. */
async function compareDocument(url) {
  const served = await (await fetch(`${url}/api/openapi.json`)).json();
  const written = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8'));
  must(
    isDeepStrictEqual(written, served),
    'docs/reference/openapi.json is not what the service serves: npm run openapi:write',
  );
}

/** The README shows a question and lines of its answer: they are what a first start says. */
function askAsReadme(env) {
  const readme = readFileSync('README.md', 'utf8');
  const [, command, shown] = /```sh\n(npm run -s demo[^\n]*)\n```[^]*?```text\n([^]*?)```/.exec(readme) ?? [];
  must(command, 'the README asks no question');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { env, encoding: 'utf8' });
  must(status === 0, `${command}: ${stderr}`);
  const absent = shown.split('\n').filter((line) => line !== '…' && !stdout.includes(line));
  must(absent.length === 0, `the README shows what is not answered: ${absent.join('\n')}`);
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
  await openLink(printed, `http://127.0.0.1:${port}`);
  await compareDocument(`http://127.0.0.1:${port}`);
  const curl = /curl -sN [^]*?\}'/.exec(printed)?.[0];
  must(curl, 'no curl was printed');
  const asked = spawnSync('bash', ['-c', curl], { encoding: 'utf8' });
  must(asked.stdout.trimEnd().endsWith('data: [DONE]'), `the printed curl answered ${asked.stdout.slice(-200)}`);
  askAsReadme(env);
  child.kill('SIGTERM');
  const [code] = await new Promise((resolve) => child.once('exit', (...end) => resolve(end)));
  must(code === 0, `stopped with ${code}`);
  console.log('the printed link and curl, npm run demo and SIGTERM do what they should');
} finally {
  child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
}
