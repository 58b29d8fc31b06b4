// P16: what a loop of function calls costs beside bare undici and OpenAI's SDK, and how many tokens a call takes.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHelper } from './lib/children.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { overReps, paired } from './lib/pairs.mjs';
import { figure, plainTable, range } from './lib/report.mjs';

const here = join(dirname(fileURLToPath(import.meta.url)), 'toolloop');
const WAYS = ['undici', 'openai-sdk', 'bellwether'];
/** Rounds of two calls each, then the answer. */
const ROUNDS = 3;
const LOOPS = 150;
const SCRIPTS = {
  none: { rounds: 0 },
  'one call': { rounds: 1, calls: 1 },
  'two at once': { rounds: 1, calls: 2 },
  'two after another': { rounds: 2, calls: 1 },
};
/** gpt-4o-mini's prices, which only their ratio matters of: an output token costs four input tokens. */
const OUTPUT_PRICE = 4;

export async function run(bench) {
  const vendor = await startHelper(join(here, 'vendor.mjs'), {});
  const ways = new Map();
  try {
    const port = await vendor.call('port');
    for (const way of WAYS) {
      ways.set(way, await startHelper(join(here, 'loops.mjs'), { scriptArgs: [way, String(port)] }));
    }
    const texts = new Set();
    for (const way of WAYS) texts.add((await ways.get(way).call('one', { rounds: ROUNDS })).text);
    if (texts.size !== 1) throw new Error('the ways answer differently');
    for (const way of WAYS) await ways.get(way).call('many', { rounds: ROUNDS, loops: LOOPS * 2 });
    const samples = await interleave({
      bench,
      names: WAYS,
      reps: bench.scale.reps,
      measure: (way) => ways.get(way).call('many', { rounds: ROUNDS, loops: LOOPS }),
    });
    const tokens = {};
    for (const [name, script] of Object.entries(SCRIPTS))
      tokens[name] = (await ways.get('bellwether').call('one', script)).usage;
    return {
      results: results(samples, tokens),
      samples: { ...samples, tokens },
      text: table(samples, tokens),
      voids: voids(samples),
    };
  } finally {
    await Promise.all([vendor, ...ways.values()].map((helper) => helper.stop()));
  }
}

const cpu = ({ cpuUs }) => cpuUs;
const total = ({ prompt, completion }) => prompt + completion;
const cost = ({ prompt, completion }) => prompt + OUTPUT_PRICE * completion;

function results(samples, tokens) {
  const ours = overReps(samples, 'bellwether', cpu);
  const [limit, peer] = ['undici', 'openai-sdk'].map(
    (way) => `${figure(overReps(samples, way, cpu).median)} µs (${way})`,
  );
  return {
    'toolloop.undici': { value: paired(samples, 'bellwether', 'undici', cpu).median, ours, unit: 'µs', limit, peer },
    'toolloop.sdk': { value: paired(samples, 'bellwether', 'openai-sdk', cpu).median, ours, unit: 'µs', limit, peer },
    'toolloop.cost': { value: cost(tokens['one call']) / cost(tokens.none) },
  };
}

function table(samples, tokens) {
  const rows = WAYS.map((way) => [
    way,
    range(overReps(samples, way, cpu)),
    range(paired(samples, way, 'undici', cpu)),
    range(paired(samples, way, 'openai-sdk', cpu)),
  ]);
  const spent = Object.entries(tokens).map(([name, used]) => [
    name,
    figure(total(used)),
    figure(total(used) / total(tokens.none)),
    figure(cost(used) / cost(tokens.none)),
  ]);
  return [
    plainTable([`loop of ${ROUNDS} rounds`, 'CPU µs', '÷ undici', '÷ openai SDK'], rows),
    plainTable(['calls', 'tokens', '÷ without functions', 'cost ÷ without'], spent),
  ].join('\n\n');
}
