import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { figure, goalsTable, plainTable } from './report.mjs';

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(bench, 'results');
const root = join(bench, '..');

/** Writes one run with all its samples to results/<date>T<time, UTC>-<commit>.json; returns the name of the run. */
export function save(record) {
  mkdirSync(folder, { recursive: true });
  const time = record.machine.date.slice(0, 16).replace(':', '');
  const name = `${time}-${record.machine.commit.replace('+', '-dirty')}`;
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(record, rounded, 1)}\n`);
  return name;
}

const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);

// JSON has no NaN: a figure that was not measured is kept as null.
const read = (name) =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'), (key, value) =>
    key === 'value' && value === null ? NaN : value,
  );
const keptRuns = () =>
  readdirSync(folder)
    .filter((file) => /^\d{4}-.*\.json$/.test(file))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();

const least = (results, key) => results[key].ours.min;
const most = (samples, key) => Math.max(...samples.map((sample) => sample[key]));

/** Figures that pages quote between `<!-- figure: name -->` and `<!-- /figure -->`. A cost is the least that was measured. */
const FIGURES = {
  'plain question, ms': ({ results }) => least(results, 'gateway.cost.nodepipe') / 1e3,
  'question with three tools, ms': ({ results }) => least(results, 'tools.cost.ms'),
  'streamed token, ms': ({ results }) => least(results, 'stream.cost.nodepipe') / 1e3,
  'memory of a process, MB': ({ samples }) => most(samples.gateway.closed.bellwether, 'rssMb'),
  'memory of a stream, kB': ({ results }) => results['hold.rss'].value,
  '1,000 streams, %': ({ results }) => results['hold.cpu'].value,
};

const MARKED = /<!-- results: (?<runs>[^>]+?) -->[^]*?<!-- \/results -->/;
const QUOTED = /<!-- figure: ([^>]+?) -->([^<]*)<!-- \/figure -->/g;
const HISTORY = /(<!-- runs -->)[^]*?(<!-- \/runs -->)/;

/** One record of runs that measured the same service, each its own scenarios. */
function joined(names) {
  const records = names.map(read);
  return {
    machines: records.map(({ machine }) => machine),
    results: Object.assign({}, ...records.map(({ results }) => results)),
    samples: Object.assign({}, ...records.map(({ samples }) => samples)),
  };
}

function resultsBlock(names) {
  const { machines, results } = joined(names);
  const goals = JSON.parse(readFileSync(join(bench, 'goals.json'), 'utf8'));
  const [first] = machines;
  const { text, judged } = goalsTable(
    goals.filter(({ key }) => key in results),
    results,
    { brief: true },
  );
  const commits = machines.map(({ commit }) => commit).join(', ');
  const day = first.date.slice(0, 10);
  const costs = first.instructions ? 'instructions counted' : 'costs are CPU time: no instruction counter';
  const facts = `Measured ${day} at commit ${commits} on ${first.cpu}, ${first.memoryGb} GB, ${first.os}, Node ${first.node}; servers ${first.pinned ? 'pinned apart from the load' : 'not pinned'}, ${costs}.`;
  const count = (verdict) => judged.filter(verdict).length;
  const sum = `${judged.length} goals: ${count(({ failed }) => failed)} missed, ${count(({ missing }) => missing)} not measured.`;
  return [`<!-- results: ${names.join(' ')} -->`, facts, text, sum, '<!-- /results -->'].join('\n\n');
}

function historyTable() {
  const rows = keptRuns().map((name) => {
    const { machine, samples, goals } = read(name);
    const missed = goals.filter(({ failed }) => failed).length;
    return [
      `[${name}](${name}.json)`,
      machine.node,
      machine.cpu,
      Object.keys(samples).join(', '),
      `${missed} of ${goals.length}`,
    ];
  });
  return plainTable(['run', 'Node', 'machine', 'scenarios', 'goals missed'], rows);
}

/** Pages that may quote figures. */
function pages() {
  const below = (path) =>
    readdirSync(join(root, path), { recursive: true })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(path, file));
  return ['README.md', 'CONTRIBUTING.md', ...below('docs')];
}

/** The pages as they should be, by path: the table and the list of runs in bench/, and each quoted figure. */
async function written(names) {
  const texts = new Map();
  const of = (file) => readFileSync(join(root, file), 'utf8');
  texts.set(
    'bench/README.md',
    of('bench/README.md').replace(MARKED, () => resultsBlock(names)),
  );
  texts.set(
    'bench/results/README.md',
    of('bench/results/README.md').replace(HISTORY, (_, begin, end) => `${begin}\n\n${historyTable()}\n\n${end}`),
  );
  const record = joined(names);
  for (const file of pages()) {
    const text = of(file);
    const quoted = text.replace(QUOTED, (_, name) => {
      if (!(name in FIGURES)) throw new Error(`${file} quotes ${name}; known are ${Object.keys(FIGURES).join('; ')}`);
      return `<!-- figure: ${name} -->${figure(FIGURES[name](record))}<!-- /figure -->`;
    });
    if (quoted !== text || text.includes('<!-- figure:')) texts.set(file, quoted);
  }
  const prettier = await import('prettier');
  const options = { ...(await prettier.resolveConfig(join(bench, 'README.md'))), parser: 'markdown' };
  for (const [file, text] of texts) texts.set(file, await prettier.format(text, options));
  return texts;
}

/** Puts the table of these runs into bench/README.md, and their figures where pages quote them. */
export async function publish(names) {
  for (const name of names) {
    if (!existsSync(join(folder, `${name}.json`))) throw new Error(`there is no run ${name}: see bench/results`);
  }
  const pairs = await written(names);
  for (const [file, text] of pairs) writeFileSync(join(root, file), text);
}

/** Pages that do not show what the published runs measured. */
export async function outdated() {
  const { runs } = MARKED.exec(readFileSync(join(bench, 'README.md'), 'utf8')).groups;
  const pairs = await written(runs.split(' '));
  return [...pairs].flatMap(([file, text]) => (readFileSync(join(root, file), 'utf8') === text ? [] : [file]));
}

export const shown = (name) => relative(process.cwd(), join(folder, `${name}.json`));
