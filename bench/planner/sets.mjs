// Questions for one tool and for two, on collections of several kinds, beside a plain BM25.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { json, jsonLines, share, shown } from './data.mjs';
import { plainRanking } from './plain-bm25.mjs';

const OWN = ['school', 'town'];
const CANDIDATES = 10;

export function sets({ folder, planning, queries }) {
  const lines = [];
  const figures = {};
  for (const { name, rows } of [...ownRows(), ...twoOfTen(folder)]) {
    const asked = rows.slice(0, queries);
    const right = (choose) =>
      share(asked, ({ query, tools, gold }) => {
        const chosen = choose(query, tools, gold.length).map((at) => tools[at].name);
        return chosen.length === gold.length && chosen.every((each) => gold.includes(each));
      });
    const plain = right((query, tools, most) => plainRanking(query, tools).slice(0, most));
    const together = right((query, tools, most) => planning.chooseTools(query, tools, { exactly: most }));
    const alone = right((query, tools) => planning.chooseTools(query, tools));
    figures[name] = together;
    figures[`${name}, above plain BM25`] = together - plain;
    lines.push(`| ${name} (${asked.length}) | ${[plain, together, alone].map(shown).join(' | ')} |`);
  }
  return {
    figures,
    table: [
      '| exact set of tools | plain BM25 | the planner | the planner, number of tools not given |',
      '| --- | --- | --- | --- |',
      ...lines,
    ].join('\n'),
  };
}

/** Two collections written for this bench. "In other words": the first example of each tool, asked with the second known or not. */
function ownRows() {
  return OWN.flatMap((name) => {
    const file = join(import.meta.dirname, 'collections', `${name}.json`);
    const { tools: all, questions } = JSON.parse(readFileSync(file, 'utf8'));
    const tools = all.map(({ name: tool, description }) => ({ name: tool, description }));
    const taught = all.map(({ examples, ...tool }) => ({ ...tool, examples: examples.slice(1) }));
    const rows = questions.map(({ query, tools: gold }) => ({ query, gold, tools }));
    const other = (known) =>
      all.map(({ name: tool, examples }) => ({ query: examples[0], gold: [tool], tools: known }));
    return [
      { name: `${name}, one tool`, rows: rows.filter(({ gold }) => gold.length === 1) },
      { name: `${name}, two tools`, rows: rows.filter(({ gold }) => gold.length === 2) },
      { name: `${name}, in other words`, rows: other(tools) },
      { name: `${name}, in other words, one example`, rows: other(taught) },
    ];
  });
}

/** NESTFUL's questions for two tools, and pairs of MetaTool's questions, with eight more tools drawn at random. */
function twoOfTen(folder) {
  const draw = drawer();
  const mixed = (gold, others) => draw([...gold, ...draw(others, CANDIDATES - gold.length)], CANDIDATES);
  const nestful = ['nestful_glaive', 'nestful_executable'].map((name) => {
    const tools = json(folder, `${name}_spec.json`).map(({ name: tool, description = '', query_parameters = {} }) => ({
      name: tool,
      description,
      parameters: Object.entries(query_parameters ?? {}).map(([parameter, { description: text = '' }]) => ({
        name: parameter,
        description: text,
      })),
    }));
    const rows = jsonLines(folder, `${name}.jsonl`)
      .map(({ query, calls }) => ({ query, gold: [...new Set(calls.map((call) => call.name))] }))
      .filter(({ gold }) => gold.length === 2)
      .map((row) => {
        const isGold = ({ name: tool }) => row.gold.includes(tool);
        return {
          ...row,
          tools: mixed(
            tools.filter(isGold),
            tools.filter((tool) => !isGold(tool)),
          ),
        };
      });
    return { name: `${name}, two tools of ten`, rows };
  });
  const descriptions = json(folder, 'metatool_tools.json');
  const singles = jsonLines(folder, 'metatool_10way.jsonl');
  const pairs = singles.flatMap((first, at) => {
    const second = singles[at + 1];
    if (at % 2 === 1 || second === undefined || first.tools[0] === second.tools[0]) return [];
    const gold = [first.tools[0], second.tools[0]];
    const others = [...new Set([...first.candidates, ...second.candidates])].filter((name) => !gold.includes(name));
    const tools = mixed(gold, others).map((name) => ({ name, description: descriptions[name] }));
    return [{ query: `${first.query} ${second.query}`, gold, tools }];
  });
  return [...nestful, { name: 'metatool, pairs of questions', rows: pairs }];
}

/** Draws without replacement; the same draws in every run. */
function drawer(seed = 7) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  return (from, count) => {
    const left = [...from];
    const drawn = [];
    while (drawn.length < count && left.length > 0) drawn.push(...left.splice(Math.floor(next() * left.length), 1));
    return drawn;
  };
}
