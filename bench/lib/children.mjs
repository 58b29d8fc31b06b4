import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canPin } from './machine.mjs';
import { commander } from './rpc.mjs';

const running = new Set();

// Whatever ends the run, nothing it started stays behind.
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

/** Starts a program, on one core when asked; its output goes to a file that is shown if it dies early. */
export function start(file, args, { core, env = {}, cwd, ipc = false } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'bellwether-bench-'));
  const logFile = join(directory, 'output.log');
  const log = openSync(logFile, 'a');
  const pinned = canPin && core !== undefined;
  const child = spawn(pinned ? 'taskset' : file, pinned ? ['-c', String(core), file, ...args] : args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log, ...(ipc ? ['ipc'] : [])],
  });
  closeSync(log);
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.directory = directory;
  child.output = () => readFileSync(logFile, 'utf8');
  return child;
}

export const startNode = (script, options = {}) =>
  start(process.execPath, [script, ...(options.scriptArgs ?? [])], options);

/** A helper process that takes commands. */
export async function startHelper(script, options) {
  const child = startNode(script, { ...options, ipc: true });
  return { child, call: await commander(child, script), stop: () => stop(child) };
}

export async function stop(child, graceMs = 5000) {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(late);
  }
  rmSync(child.directory, { recursive: true, force: true });
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Polls until the URL answers 200; resolves with the milliseconds waited since `from`. */
export async function until200(url, child, { limitMs = 60_000, everyMs = 20, from = performance.now() } = {}) {
  while (performance.now() - from < limitMs) {
    if (child.exitCode !== null) throw new Error(`ended before it was ready: ${child.output().slice(-800)}`);
    const response = await fetch(url, { headers: { connection: 'close' } }).catch(() => null);
    const at = performance.now();
    await response?.arrayBuffer();
    if (response?.status === 200) return at - from;
    await sleep(everyMs);
  }
  throw new Error(`no 200 from ${url} in ${limitMs} ms: ${child.output().slice(-800)}`);
}
