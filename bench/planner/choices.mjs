// MetaTool: one of ten.
import { isTunedOn, json, jsonLines, share, shown } from './data.mjs';

const EXAMPLES = 3;

/** A tool's first questions, never the one that is asked. */
function exampleQuestions(rows) {
  const byTool = new Map();
  for (const {
    query,
    tools: [tool],
  } of rows)
    byTool.set(tool, [...(byTool.get(tool) ?? []), query]);
  return (tool, asked) => (byTool.get(tool) ?? []).filter((query) => query !== asked).slice(0, EXAMPLES);
}

const words = (name) => name.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll('_', ' ');

export async function choices({ folder, planning, embed, model, queries }) {
  const descriptions = json(folder, 'metatool_tools.json');
  const tools = new Map(Object.entries(descriptions).map(([name, description]) => [name, { name, description }]));
  const rows = jsonLines(folder, 'metatool_10way.jsonl').slice(0, queries);
  const methods = { words: () => undefined };
  if (embed !== null) {
    methods['words and embedding'] = (query, candidates) =>
      embed(
        query,
        candidates.map(({ name, description }) => `${words(name)}: ${description}`),
      );
  }
  const examplesOf = exampleQuestions(rows);
  const results = [];
  for (const [method, similaritiesOf] of Object.entries(methods)) {
    const right = [];
    for (const { query, candidates, tools: gold } of rows) {
      const known = candidates.map((name) => tools.get(name));
      const [best] = planning.rankTools(query, known, await similaritiesOf(query, known));
      right.push({ gold: gold[0], hit: candidates[best.at] === gold[0] });
    }
    results.push([method, right]);
  }
  const taught = rows.map(({ query, candidates, tools: [gold] }) => {
    const known = candidates.map((name) => ({ ...tools.get(name), examples: examplesOf(name, query) }));
    return { gold, hit: candidates[planning.rankTools(query, known)[0].at] === gold };
  });
  results.push([`words and ${EXAMPLES} example questions`, taught]);
  if (model !== null) {
    const right = [];
    for (const { query, candidates, tools: gold } of rows) {
      const [first] = await model.choose(
        query,
        candidates.map((name) => tools.get(name)),
      );
      right.push({ gold: gold[0], hit: first === gold[0] });
    }
    results.push([model.name, right]);
  }
  const figures = {};
  const lines = results.map(([method, right]) => {
    figures[method === 'words' ? 'metatool_10way' : `metatool_10way ${method}`] = share(right, ({ hit }) => hit);
    const tuned = right.filter(({ gold }) => isTunedOn(gold));
    const rest = right.filter(({ gold }) => !isTunedOn(gold));
    return [share(right, ({ hit }) => hit), share(tuned, ({ hit }) => hit), share(rest, ({ hit }) => hit)]
      .map(shown)
      .reduce((line, cell) => `${line} ${cell} |`, `| ${method} |`);
  });
  return {
    figures,
    table: [
      `| metatool_10way, ${rows.length} questions | accuracy | tools tuned on | other tools |`,
      '| --- | --- | --- | --- |',
      ...lines,
    ].join('\n'),
  };
}
