// P11 to P13: what the engine costs beside tools that cost nothing, and whether anything waits that need not.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { criticalPath, GRAPHS, inWaves } from './engine/graphs.mjs';
import { versionOf } from './engine/peer.mjs';
import { startHelper } from './lib/children.mjs';
import { bestRatio, least, overReps, paired } from './lib/pairs.mjs';
import { figure, plainTable, range } from './lib/report.mjs';
import { interleave, voids } from './lib/runner.mjs';

const script = join(dirname(fileURLToPath(import.meta.url)), 'engine', 'runs.mjs');
const NODE = Number(process.versions.node.split('.')[0]);
const MANY = 100;

/** Graph and the strategy that runs it. */
const SHAPES = { chain: 'sequential', wide: 'parallel', dag: 'dependency', skewed: 'dependency' };
const NAMES = { chain: '3 in a row', wide: '8 at once', dag: '12-DAG', skewed: 'skewed' };
const COSTS = ['chain', 'wide', 'dag'];
const PEERS = [
  { name: 'langgraph', product: 'LangGraph.js', module: '@langchain/langgraph', node: 18 },
  { name: 'mastra', product: 'Mastra', module: '@mastra/core', node: 22 },
];

export async function run(bench) {
  const peers = PEERS.map((peer) => ({ ...peer, version: versionOf(peer.module) }));
  const taking = peers.filter(({ version, node }) => version !== null && NODE >= node);
  const engines = ['bellwether', 'waves', ...taking.map(({ name }) => name)];
  const helpers = new Map();
  try {
    for (const name of engines) helpers.set(name, await startHelper(script, { scriptArgs: [name] }));
    const { engineMs } = bench.scale;
    // Long enough that the compiler has seen to everything, also on a busy machine.
    for (const name of engines) await measure(helpers.get(name), { engineMs: engineMs * 8, engineRounds: 3 });
    const samples = await interleave({
      bench,
      names: engines,
      reps: bench.scale.reps,
      measure: (name) => measure(helpers.get(name), bench.scale),
    });
    return {
      results: results(samples, peers),
      samples,
      text: table(samples, peers, engines),
      voids: voids(samples),
    };
  } finally {
    await Promise.all([...helpers.values()].map((helper) => helper.stop()));
  }
}

async function measure({ call }, { engineMs, engineRounds }) {
  const sample = { cost: {}, wall: {} };
  for (const graph of COSTS)
    sample.cost[graph] = (await call('overhead', { graph, strategy: SHAPES[graph], forMs: engineMs })).us;
  for (const [graph, strategy] of Object.entries(SHAPES))
    sample.wall[graph] = (await call('wall', { graph, strategy, rounds: engineRounds })).ms;
  sample.many = (await call('wall', { graph: 'wide', strategy: 'parallel', runs: MANY, rounds: engineRounds })).ms;
  return sample;
}

const cost = (graph) => (sample) => sample.cost[graph];
const overPath = (graph) => (sample) => sample.wall[graph] / criticalPath(GRAPHS[graph]);
const manyOver = (sample) => sample.many / criticalPath(GRAPHS.wide);

function results(samples, peers) {
  const figures = {};
  for (const graph of COSTS) {
    const ours = overReps(samples, 'bellwether', cost(graph));
    figures[`engine.cost.${graph}`] = { value: ours.median, ours, unit: 'µs' };
    for (const { name, product, version, node } of peers) {
      const figureOf = { value: bestRatio(samples, 'bellwether', name, cost(graph)), ours, unit: 'µs' };
      if (samples[name] === undefined) figureOf.why = missing({ product, version, node });
      else {
        figureOf.peer = `${figure(least(samples, name, cost(graph)))} µs (${product} ${version})`;
        figureOf.vsPeer = paired(samples, 'bellwether', name, cost(graph));
      }
      figures[`engine.${name}.${graph}`] = figureOf;
    }
  }
  for (const graph of Object.keys(SHAPES)) {
    const ours = overReps(samples, 'bellwether', overPath(graph));
    figures[`engine.path.${graph}`] = { value: least(samples, 'bellwether', overPath(graph)), ours, unit: '×' };
  }
  const many = overReps(samples, 'bellwether', manyOver);
  figures['engine.many'] = { value: many.median, ours: many, unit: '×' };
  const waves = paired(samples, 'bellwether', 'waves', (sample) => sample.wall.skewed);
  figures['engine.waves'] = {
    value: waves.median,
    ours: waves,
    unit: '×',
    limit: `${figure(criticalPath(GRAPHS.skewed) / inWaves(GRAPHS.skewed))} × (critical path)`,
  };
  return figures;
}

const missing = ({ product, version, node }) =>
  version === null ? `${product} is not installed` : `skipped, ${product} needs Node ${node}`;

function table(samples, peers, engines) {
  const costs = engines.map((name) => [
    name,
    ...COSTS.map((graph) => range(overReps(samples, name, cost(graph)))),
    ...COSTS.map((graph) => range(paired(samples, name, 'bellwether', cost(graph)))),
  ]);
  const walls = engines.map((name) => [
    name,
    ...Object.keys(SHAPES).map((graph) => range(overReps(samples, name, overPath(graph)))),
    range(overReps(samples, name, manyOver)),
  ]);
  const named = COSTS.map((graph) => NAMES[graph]);
  const absent = peers.filter(({ name }) => !engines.includes(name)).map(missing);
  const taking = peers
    .filter(({ name }) => engines.includes(name))
    .map(({ product, version }) => `${product} ${version}`);
  return [
    plainTable(['µs per run, tools at once', ...named, ...named.map((name) => `${name} ÷ ours`)], costs),
    plainTable(['wall ÷ critical path', ...Object.values(NAMES), `${MANY} runs of ${NAMES.wide} ÷ one tool`], walls),
    [taking.length > 0 ? `Peers: ${taking.join(', ')}.` : '', absent.length > 0 ? `${absent.join('; ')}.` : '']
      .filter(Boolean)
      .join(' '),
  ]
    .filter(Boolean)
    .join('\n\n');
}
