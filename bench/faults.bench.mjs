// P15: one try in ten of a tool hangs for ever, one in ten fails; what reaches the run, by when, and what is left behind.
import { openInvoker, randomOf } from './lib/invoker.mjs';
import { plainTable } from './lib/report.mjs';
import { quantile } from './lib/stats.mjs';

const RUNS = 500;
const AT_ONCE = 50;
const DEADLINE_MS = 4_000;
const TOOL_MS = 20;
/** Calls before that tell the invoker how long the tool takes. */
const KNOWN = 100;

export async function run() {
  const plain = await faulty({ retries: 0 });
  const retried = await faulty({ retries: 3 });
  const cut = plain.failed === 0 ? NaN : (100 * (plain.failed - retried.failed)) / plain.failed;
  const inTime = Math.min(plain.inTime, retried.inTime);
  const left = Math.max(plain.left, retried.left);
  const rows = [
    ['without retries', plain],
    ['three retries', retried],
  ].map(([name, { failed, p50, p99, late, left: kept }]) => [name, failed, p50, p99, late, kept]);
  return {
    results: {
      'faults.inTime': { value: inTime, unit: '%' },
      'faults.cut': { value: cut, unit: '%' },
      'faults.left': { value: left, unit: '' },
    },
    samples: { plain, retried },
    text: plainTable(
      [`faults, ${RUNS} calls, deadline ${DEADLINE_MS} ms`, 'failed', 'p50 ms', 'p99 ms', 'past it, ms', 'left open'],
      rows.map((row) => row.map((cell) => (typeof cell === 'number' ? String(Math.round(cell)) : cell))),
    ),
    voids: [],
  };
}

async function faulty({ retries }) {
  const random = randomOf(15);
  let known = KNOWN;
  let ToolFailure;
  const flaky = {
    async run(_config, _input, { signal }) {
      const fate = known > 0 ? 1 : random();
      if (known > 0) known -= 1;
      if (fate < 0.1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      if (fate < 0.2) throw new ToolFailure('tool.failed', 'busy', { retryable: true });
      await new Promise((resolve) => setTimeout(resolve, known > 0 ? 1 : TOOL_MS));
      return { content: 'found', sources: [], confidence: null };
    },
  };
  const room = openInvoker({ flaky }, { maxRetries: retries, retryDelayMs: 50 });
  ({ ToolFailure } = room);
  await room.statistics.load('organization');
  for (let n = 0; n < KNOWN; n++) await room.call('flaky', `known ${n}`);
  const before = open();
  const times = [];
  let failed = 0;
  let late = 0;
  for (let begun = 0; begun < RUNS; begun += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, n) => {
        const from = performance.now();
        const { status } = await room.call('flaky', `run ${begun + n}`, {
          timeout_ms: DEADLINE_MS,
          // A circuit of its own for each call: this is about retries.
          config: { call: begun + n },
        });
        const took = performance.now() - from;
        times.push(took);
        late = Math.max(late, took - DEADLINE_MS);
        if (status !== 'completed') failed += 1;
      }),
    );
  }
  const left = open() - before;
  const inTime = (100 * times.filter((took) => took <= DEADLINE_MS + 50).length) / RUNS;
  return { failed, p50: quantile(times, 0.5), p99: quantile(times, 0.99), late: Math.max(0, late), inTime, left };
}

/** Timers and handles that would keep a process alive. */
const open = () => process.getActiveResourcesInfo().length;
