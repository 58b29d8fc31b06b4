// An operator command in a process of its own, whose memory is watched and which may be killed.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dist } from '../lib/built.mjs';

const SAMPLE_MS = 100;
const secrets = `bench:${randomBytes(32).toString('hex')}`;

function residentKb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Seconds of computing, of all its threads (Linux: ticks of 10 ms). */
function cpuSeconds(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Bounded: with room, the collector leaves garbage of thousands of assistants lying, and memory seems to grow. 0: Node's own. */
const HEAP_MB = Number(process.argv.find((each) => each.startsWith('--heap-mb='))?.split('=')[1] ?? 128);

/** `ended`: code, last line, milliseconds in all and at work, seconds of computing, samples of memory in KB. */
export function startCommand({ dataDir, databaseUrl }, args) {
  const started = performance.now();
  const child = spawn(process.execPath, [join(dist, 'cli.js'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: secrets,
      NODE_OPTIONS: HEAP_MB > 0 ? `--max-old-space-size=${HEAP_MB}` : '',
    },
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  const rss = [];
  let cpu = 0;
  const sampling = setInterval(() => {
    rss.push(residentKb(child.pid));
    cpu = Math.max(cpu, cpuSeconds(child.pid));
  }, SAMPLE_MS);
  const ended = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearInterval(sampling);
      const ms = performance.now() - started;
      const last = out.trim().split('\n').at(-1) ?? '';
      const json = last.startsWith('{') ? JSON.parse(last) : undefined;
      resolve({ code, signal, json, ms, busyMs: json?.took_ms ?? ms, cpu, rss: rss.length === 0 ? [0] : rss });
    });
  });
  return { ended, kill: () => child.kill('SIGKILL') };
}
