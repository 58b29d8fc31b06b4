// One engine in a process of its own: runs graphs and says how long they took.
import { serveCommands } from '../lib/rpc.mjs';
import { GRAPHS } from './graphs.mjs';

const [kind] = process.argv.slice(2);
const { prepare } = await import(`./${kind}.mjs`);
const build = await prepare();
const built = new Map();

function runnerOf({ graph, instant = false, strategy = 'dependency' }) {
  const key = `${graph} ${instant} ${strategy}`;
  if (!built.has(key)) built.set(key, build(GRAPHS[graph], { instant, strategy }));
  return built.get(key);
}

async function once(run, graph) {
  const found = await run();
  if (found !== GRAPHS[graph].length) throw new Error(`${found} of ${GRAPHS[graph].length} tools found something`);
}

/** Few enough that a batch ends before a busy machine gives the core to somebody else. */
const BATCH = 5;

serveCommands({
  /** Microseconds of one run whose tools answer at once: the least of many batches, where noise only ever adds. */
  async overhead({ forMs, ...wish }) {
    const run = runnerOf({ ...wish, instant: true });
    await once(run, wish.graph);
    let least = Infinity;
    const end = performance.now() + forMs;
    do {
      const begin = performance.now();
      for (let n = 0; n < BATCH; n++) await run();
      least = Math.min(least, (performance.now() - begin) / BATCH);
    } while (performance.now() < end);
    return { us: least * 1e3 };
  },

  /** Milliseconds from the start to the end of `runs` at once, the least of `rounds`. */
  async wall({ runs = 1, rounds, ...wish }) {
    const run = runnerOf(wish);
    let least = Infinity;
    for (let round = 0; round < rounds; round++) {
      const begin = performance.now();
      await Promise.all(Array.from({ length: runs }, () => once(run, wish.graph)));
      least = Math.min(least, performance.now() - begin);
    }
    return { ms: least };
  },
});
