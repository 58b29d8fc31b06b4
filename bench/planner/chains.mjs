// NESTFUL: several calls that feed one another, chosen among every tool of the collection.
import { json, jsonLines, shown } from './data.mjs';

export async function chains({ folder, planning, queries }) {
  const lines = [];
  const figures = {};
  for (const name of ['nestful_executable', 'nestful_glaive']) {
    const tools = json(folder, `${name}_spec.json`).map(({ name: tool, description = '', query_parameters = {} }) => ({
      name: tool,
      description,
      parameters: Object.entries(query_parameters ?? {}).map(([parameter, { description: text = '' }]) => ({
        name: parameter,
        description: text,
      })),
    }));
    const rows = jsonLines(folder, `${name}.jsonl`).slice(0, queries);
    const chosen = new Tally();
    const edges = new Tally();
    for (const { query, calls, edges: links } of rows) {
      const parts = planning.decompose(query).sub_queries;
      const picked = new Map(parts.map(({ id, text }) => [id, tools[planning.rankTools(text, tools)[0].at].name]));
      chosen.add(new Set(picked.values()), new Set(calls.map((call) => call.name)));
      const guessed = parts.flatMap(({ id, dependencies }) =>
        dependencies.map((before) => `${picked.get(before)} → ${picked.get(id)}`),
      );
      edges.add(new Set(guessed), new Set(links.map(([from, to]) => `${calls[from].name} → ${calls[to].name}`)));
    }
    figures[`${name} tools`] = chosen.f1;
    figures[`${name} edges`] = edges.f1;
    lines.push(
      `| ${name}, ${rows.length} questions, ${tools.length} tools | ${[chosen.f1, edges.f1, edges.precision, edges.recall].map(shown).join(' | ')} |`,
    );
  }
  return {
    figures,
    table: [
      '| NESTFUL, by words | F1 of tools | F1 of edges | precision | recall |',
      '| --- | --- | --- | --- | --- |',
      ...lines,
    ].join('\n'),
  };
}

class Tally {
  hits = 0;
  given = 0;
  wanted = 0;

  add(given, wanted) {
    this.given += given.size;
    this.wanted += wanted.size;
    for (const each of given) if (wanted.has(each)) this.hits += 1;
  }

  get precision() {
    return this.given === 0 ? 0 : this.hits / this.given;
  }

  get recall() {
    return this.wanted === 0 ? 0 : this.hits / this.wanted;
  }

  get f1() {
    const sum = this.given + this.wanted;
    return sum === 0 ? 0 : (2 * this.hits) / sum;
  }
}
