import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { canCount, PERF } from './machine.mjs';

/** CPU time of all threads of a process in ms; NaN where /proc is missing. */
export function cpuMs(pid) {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0]);
    }
    return nanoseconds / 1e6;
  } catch {
    return NaN;
  }
}

export function rssKb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))[1]);
  } catch {
    return NaN;
  }
}

/** Starts metering a process; `stop()` gives what it spent meanwhile. `instructions` is NaN without a counter. */
export async function meter(pid) {
  if (!pid) return { stop: async () => ({ cpuMs: NaN, instructions: NaN, rssMb: NaN }) };
  const counter = canCount ? countInstructions(pid) : null;
  const before = cpuMs(pid);
  return {
    async stop() {
      const spent = cpuMs(pid) - before;
      return { cpuMs: spent, instructions: (await counter?.()) ?? NaN, rssMb: rssKb(pid) / 1024 };
    },
  };
}

function countInstructions(pid) {
  const perf = spawn(PERF, ['stat', '-x', ',', '-e', 'instructions', '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  perf.stderr.on('data', (data) => (text += data));
  const ended = once(perf, 'close');
  return async () => {
    perf.kill('SIGINT');
    await ended;
    return Number(/^(\d+),/m.exec(text)?.[1] ?? NaN);
  };
}
