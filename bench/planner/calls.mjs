// BFCL: which function, and whether any.
import { jsonLines, share, shown, toolText } from './data.mjs';

const questionOf = ({ messages }) => messages.at(-1).content;

export async function calls({ folder, planning, queries, model }) {
  const load = (name) =>
    jsonLines(folder, `${name}.jsonl`)
      .slice(0, queries)
      .map((row, at) => ({ ...row, at, texts: row.tools.map(toolText) }));
  const best = ({ texts, ...row }) => texts[planning.rankTools(questionOf(row), texts)[0].at];
  const multiple = load('bfcl_multiple');
  const hit = (row) => best(row).name === row.gold_tools[0];
  const relevance = (row) => planning.relevanceOf(questionOf(row), best(row));
  const positives = ['bfcl_simple_python', 'bfcl_multiple', 'bfcl_parallel'].flatMap(load);
  const negatives = load('bfcl_irrelevance');
  const halves = (rows) => [rows, rows.filter(({ at }) => at % 2 === 0), rows.filter(({ at }) => at % 2 === 1)];
  const [all, tuned, rest] = halves(multiple).map((rows) => share(rows, hit));
  const scored = (rows) => rows.map((row) => ({ at: row.at, score: relevance(row) }));
  const [yes, no] = [scored(positives), scored(negatives)];
  const aurocs = halves(yes).map((some, half) => auroc(some, halves(no)[half]));
  const lines = [
    ['bfcl_multiple, accuracy', all, tuned, rest],
    ['irrelevance, AUROC', ...aurocs],
  ];
  const figures = { bfcl_multiple: all, irrelevance: aurocs[0] };
  if (model !== null) {
    let right = 0;
    for (const row of multiple) {
      const chosen = new Set(await model.choose(questionOf(row), row.texts));
      right += chosen.size === 1 && chosen.has(row.gold_tools[0]) ? 1 : 0;
    }
    figures[`bfcl_multiple ${model.name}`] = right / multiple.length;
    lines.push([`bfcl_multiple, ${model.name}`, right / multiple.length, NaN, NaN]);
  }
  return {
    figures,
    table: [
      '| BFCL | all | half tuned on | other half |',
      '| --- | --- | --- | --- |',
      ...lines.map(([name, ...cells]) => `| ${name} | ${cells.map(shown).join(' | ')} |`),
    ].join('\n'),
  };
}

/** Share of pairs in which the question for a tool scores higher than the one for none. */
function auroc(positives, negatives) {
  let wins = 0;
  for (const { score: yes } of positives)
    for (const { score: no } of negatives) wins += yes > no ? 1 : yes === no ? 0.5 : 0;
  return wins / (positives.length * negatives.length);
}
