// npm run bench:planner [-- part… --embedding --queries=200]
import { describeMachine } from './lib/machine.mjs';
import { embedder } from './planner/embedder.mjs';
import { calls } from './planner/calls.mjs';
import { chains } from './planner/chains.mjs';
import { choices } from './planner/choices.mjs';
import { dataFolder } from './planner/data.mjs';
import { sets } from './planner/sets.mjs';
import { configuredModel } from './planner/model.mjs';
import { loadPlanning } from './planner/service.mjs';

const PARTS = { choices, calls, chains, sets };
const GOALS = [
  ['metatool_10way', 'accuracy of the first choice', '≥', 0.74],
  ['bfcl_multiple', 'accuracy of the choice', '≥', 0.98],
  ['irrelevance', 'AUROC of "some tool fits"', '≥', 0.93],
  ...[
    'nestful_glaive, two tools of ten',
    'nestful_executable, two tools of ten',
    'school, two tools',
    'town, two tools',
  ].map((key) => [key, 'exact set', '≥', 0.7]),
  ...['school', 'town'].flatMap((own) =>
    ['one tool', 'two tools', 'in other words', 'in other words, one example'].map((kind) => [
      `${own}, ${kind}, above plain BM25`,
      'exact set',
      '≥',
      0,
    ]),
  ),
];

function parse(words) {
  const options = { parts: [], embedding: false, queries: Infinity };
  for (const word of words) {
    if (word in PARTS) options.parts.push(word);
    else if (word === '--embedding') options.embedding = true;
    else if (/^--queries=[1-9]\d*$/.test(word)) options.queries = Number(word.slice('--queries='.length));
    else {
      console.error(`unknown: ${word}; parts are ${Object.keys(PARTS).join(' ')}, options --embedding --queries=`);
      process.exit(2);
    }
  }
  return { ...options, parts: options.parts.length > 0 ? options.parts : Object.keys(PARTS) };
}

const options = parse(process.argv.slice(2));
const folder = dataFolder();
const planning = loadPlanning();
const machine = describeMachine();
console.log(`${machine.cpu}, Node ${machine.node}, commit ${machine.commit}\n`);

const model = configuredModel(planning);
if (model === null) console.log('no model: BENCH_PLANNER_URL, BENCH_PLANNER_MODEL (and _KEY) name one\n');
const embed = options.embedding ? await embedder() : null;
const found = new Map();
for (const part of options.parts) {
  const result = await PARTS[part]({ folder, planning, embed, model, queries: options.queries });
  console.log(`${result.table}\n`);
  for (const [key, value] of Object.entries(result.figures)) found.set(key, value);
}
for (const [key, metric, is, least] of GOALS) {
  for (const [name, value] of found) {
    if (name !== key && !name.startsWith(`${key} `)) continue;
    console.log(`${value >= least ? 'met   ' : 'missed'} ${name}: ${metric} ${value.toFixed(3)} (${is} ${least})`);
  }
}
