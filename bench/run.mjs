// npm run bench [-- scenario… --servers=a,b --quick --allow-busy --publish]; --smoke and --peers as the npm scripts pass them.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBench } from './lib/bench.mjs';
import { describeMachine } from './lib/machine.mjs';
import { installPeers } from './lib/peers.mjs';
import { goalsTable } from './lib/report.mjs';
import { publish, save, shown } from './lib/results.mjs';
import { parseOptions } from './lib/options.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const goals = JSON.parse(readFileSync(join(here, 'goals.json'), 'utf8'));

const options = parseOptions(process.argv.slice(2));
if (options.peers) installPeers();

const machine = describeMachine();
const bench = await openBench(options);
console.log(`${options.mode} run: ${options.scenarios.join(', ')}; servers: ${bench.names.join(', ')}\n`);

const results = {};
const outcomes = {};
const texts = [];
const problems = [];
for (const name of options.scenarios) {
  const scenario = await import(`./${name}.bench.mjs`);
  if (!scenario.usesFleet) await bench.endFleet();
  bench.begin(name);
  try {
    const outcome = await scenario.run(bench);
    Object.assign(results, explained(outcome));
    outcomes[name] = outcome.samples;
    texts.push(outcome.text);
    problems.push(...outcome.voids.map((reason) => `${name}: ${reason}`));
  } catch (error) {
    problems.push(`${name} failed: ${error.message}`);
    outcomes[name] = { failed: error.message };
  }
}
await bench.close();

/** Says in the table why a figure is missing. */
function explained({ results: figures, voids }) {
  for (const [key, figure] of Object.entries(figures)) {
    if (!Number.isNaN(figure.value)) continue;
    if (!bench.names.includes('bellwether')) figure.why = 'the service is not among the servers';
    else if (key.endsWith('.portkey') && !bench.names.includes('portkey'))
      figure.why = 'Portkey is not among the servers';
    else if (voids.length > 0) figure.why ??= 'void, see below';
  }
  return figures;
}

const judgedGoals = goals.filter((goal) => options.scenarios.includes(goal.scenario) && (!options.smoke || goal.smoke));
const { text, judged } = goalsTable(judgedGoals, results, { smoke: options.smoke });
const report = [...texts.filter(Boolean), text].join('\n\n');
console.log(`\n${report}\n`);
for (const problem of problems) console.log(`void: ${problem}`);

const record = {
  machine,
  mode: options.mode,
  seconds: bench.elapsed(),
  goals: judged,
  results,
  samples: outcomes,
  problems,
};
if (options.mode === 'full') {
  const name = save(record);
  console.log(`\nSaved ${shown(name)}`);
  if (options.publish) await publish([name]);
}

const missed = judged.filter((goal) => goal.failed).map((goal) => goal.key);
const unmeasured = options.smoke ? judged.filter((goal) => goal.missing).map((goal) => goal.key) : [];
console.log(
  `${Math.round(bench.elapsed())} s. Missed: ${missed.join(', ') || 'none'}${unmeasured.length ? `. Not measured: ${unmeasured.join(', ')}` : ''}`,
);
process.exit(missed.length + unmeasured.length > 0 || problems.some((problem) => / failed: /.test(problem)) ? 1 : 0);
