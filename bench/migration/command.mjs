// An operator command in a process of its own, whose memory is watched and which may be killed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dist } from '../suts/bellwether.mjs';

const SAMPLE_MS = 100;
const secrets = `bench:${randomBytes(32).toString('hex')}`;

function residentKb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** `ended`: code, last line, milliseconds in all and at work, samples of memory in KB. */
export function startCommand({ dataDir, databaseUrl }, args) {
  const started = performance.now();
  const child = spawn(process.execPath, [join(dist, 'cli.js'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRETS_KEY: secrets },
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const rss = [];
  const sampling = setInterval(() => rss.push(residentKb(child.pid)), SAMPLE_MS);
  const ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearInterval(sampling);
      const ms = performance.now() - started;
      const last = out.trim().split('\n').at(-1) ?? '';
      const json = last.startsWith('{') ? JSON.parse(last) : undefined;
      resolve({ code, signal, json, ms, busyMs: json?.took_ms ?? ms, rss: rss.length === 0 ? [0] : rss });
    });
  });
  return { ended, kill: () => child.kill('SIGKILL') };
}
