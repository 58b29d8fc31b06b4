// Runs the service and the web UI for contributors. Both reload after a change; Ctrl-C ends both.
import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

const { PORT = '3000', WEB_PORT = '5173' } = process.env;
const service = `http://localhost:${PORT}`;
const web = `http://localhost:${WEB_PORT}`;
/** Sign-in links lead to the pages that reload. */
const env = { PUBLIC_URL: web, ...process.env, PORT, BELLWETHER_URL: service };

const stopped = new AbortController();
const children = new Set();

/** In a process group of its own: the terminal's Ctrl-C reaches this script only, which passes it on once. */
function run(command, args, cwd) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  children.add(child);
  child.once('error', (error) => console.error(error.message));
  child.once('close', (code) => {
    children.delete(child);
    stop(code ?? 1);
  });
}

function stop(code) {
  if (stopped.signal.aborted) return;
  process.exitCode = code;
  stopped.abort();
  // Nest passes the signal on to the service, which takes a second one for impatience.
  for (const child of children) child.kill('SIGTERM');
}

async function isServing() {
  try {
    return (await fetch(`${service}/health/live`)).ok;
  } catch {
    return false;
  }
}

/** A compiler at work hears nothing: the second Ctrl-C does not ask. */
function interrupt() {
  if (!stopped.signal.aborted) return stop(0);
  for (const { pid } of children) process.kill(-pid, 'SIGKILL');
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);

spawnSync('npm', ['run', '-s', 'client', '-w', 'web'], { stdio: 'inherit' });
run('nest', ['start', '--watch', '--no-shell', '--preserveWatchOutput']);
while (!stopped.signal.aborted && !(await isServing())) await sleep(500);
if (!stopped.signal.aborted) run('vite', ['dev', '--port', WEB_PORT, '--strictPort', '--clearScreen', 'false'], 'web');
