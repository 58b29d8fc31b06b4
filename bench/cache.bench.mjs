// P19: the result cache on a fixed trace of questions (Zipf, exponent 1.0, over 5,000), with many owners and callers.
import { openInvoker, randomOf } from './lib/invoker.mjs';
import { plainTable } from './lib/report.mjs';

const QUESTIONS = 5_000;
const LENGTH = 20_000;
const ENTRIES = 256;
const CONTENT = 'x'.repeat(4_000);
/** About what one result takes there. */
const BYTES = ENTRIES * (2 * (CONTENT.length + 12) + 504);

export async function run() {
  const trace = zipf();
  const hits = await ours(trace);
  const plain = lru(trace);
  const best = optimal(trace);
  const crossed = await crossings(trace.slice(0, 4_000));
  const [rate, plainRate, bestRate] = [hits, plain, best].map((count) => (100 * count) / LENGTH);
  return {
    results: {
      'cache.rate': { value: rate, unit: '%', limit: `best possible ${bestRate.toFixed(1)} %` },
      'cache.share': { value: (100 * rate) / bestRate, unit: '%' },
      'cache.crossed': { value: crossed, unit: '' },
    },
    samples: { rate, plainRate, bestRate, crossed },
    text: plainTable(
      [`results kept, ${ENTRIES} of ${QUESTIONS.toLocaleString('en')} questions`, 'hit rate %', 'of the best %'],
      [
        ['bellwether', rate, (100 * rate) / bestRate],
        ['a plain LRU', plainRate, (100 * plainRate) / bestRate],
        ['best possible (Belady)', bestRate, 100],
      ].map(([name, ...figures]) => [name, ...figures.map((figure) => figure.toFixed(1))]),
    ),
    voids: [],
  };
}

function zipf() {
  const random = randomOf(19);
  const sums = [];
  let total = 0;
  for (let rank = 1; rank <= QUESTIONS; rank++) sums.push((total += 1 / rank));
  return Array.from({ length: LENGTH }, () => {
    const at = random() * total;
    let [low, high] = [0, QUESTIONS - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}

const searching = (more = {}) => ({
  run: async (_config, { query }, context) => ({
    content: more.shown?.(query, context) ?? CONTENT,
    sources: [],
    confidence: null,
  }),
  caching: more.caching ?? {},
});

async function ours(trace) {
  const room = openInvoker({ search: searching() }, { cacheBytes: BYTES });
  let hits = 0;
  for (const question of trace) if ((await room.call('search', `question ${question}`)).cached) hits += 1;
  return hits;
}

/** Answers that were made for somebody else than who got them. */
async function crossings(trace) {
  const random = randomOf(20);
  const shown = (query, { owner, caller }) => JSON.stringify([query, owner, caller.userId]);
  const room = openInvoker({ search: searching({ shown, caching: { personal: true } }) });
  let crossed = 0;
  for (const question of trace) {
    const organizationId = `organization ${Math.floor(random() * 3)}`;
    const owner = { organizationId, userId: `owner ${Math.floor(random() * 3)}` };
    const caller = { organizationId, userId: `person ${Math.floor(random() * 5)}`, kind: 'system' };
    const { content } = await room.call('search', `question ${question}`, { owner, caller });
    if (content !== shown(`question ${question}`, { owner, caller })) crossed += 1;
  }
  return crossed;
}

function lru(trace) {
  const kept = new Map();
  let hits = 0;
  for (const question of trace) {
    if (kept.delete(question)) hits += 1;
    kept.set(question, true);
    if (kept.size > ENTRIES) kept.delete(kept.keys().next().value);
  }
  return hits;
}

/** Belady's: what is asked for latest again gives way; what comes later than all that is kept is not kept at all. */
function optimal(trace) {
  const nextAt = new Array(LENGTH);
  const seen = new Map();
  for (let at = trace.length - 1; at >= 0; at--) {
    nextAt[at] = seen.get(trace[at]) ?? Infinity;
    seen.set(trace[at], at);
  }
  const kept = new Map();
  let hits = 0;
  for (const [at, question] of trace.entries()) {
    if (kept.has(question)) hits += 1;
    kept.set(question, nextAt[at]);
    if (kept.size <= ENTRIES) continue;
    let [latest, when] = [question, -1];
    for (const [other, next] of kept) if (next > when) [latest, when] = [other, next];
    kept.delete(latest);
  }
  return hits;
}
